import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findPython } from "../../../executors/local.ts";

const REQUIREMENTS = join(import.meta.dirname, "../../../../../trainer/requirements.txt");
const PINS = readFileSync(REQUIREMENTS, "utf8")
  .split(/\s+/)
  .filter((line) => line.includes("=="))
  .map((line) => line.split("==") as [name: string, version: string]);

const MAKE_WHEEL = `
import sys, zipfile
folder, name, version = sys.argv[1:]
module = name.replace("-", "_")
info = f"{module}-{version}.dist-info"
files = {
    f"{module}/__init__.py": f"__version__ = {version!r}\\nclass cuda:\\n    is_available = staticmethod(lambda: False)\\n",
    f"{info}/METADATA": f"Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n",
    f"{info}/WHEEL": "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
}
record = "".join(f"{path},,\\n" for path in [*files, f"{info}/RECORD"])
with zipfile.ZipFile(f"{folder}/{module}-{version}-py3-none-any.whl", "w") as wheel:
    for path, text in {**files, f"{info}/RECORD": record}.items():
        wheel.writestr(path, text)
`;

/**
 * Fills a folder with packages for `pip --find-links`: they have the pinned names and versions, and nothing in them.
 *
 * @param leave_out  Name of one that is missing.
 */
export async function fillIndex(index: string, leave_out: string | null = null): Promise<void> {
  const python = await findPython(process.env.PATH ?? "");
  for (const [name, version] of PINS)
    if (name !== leave_out) execFileSync(python, ["-c", MAKE_WHEEL, index, name, version]);
}
