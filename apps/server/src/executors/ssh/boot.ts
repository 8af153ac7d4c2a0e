import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { findPython, TRAINER_DIR } from "../local.ts";

const run = promisify(execFile);

const MAX_BUNDLE_BYTES = 32 * 1_048_576;
const PACK =
  "import sys; from sightline_trainer.slctl.bundle import bundle_bytes; sys.stdout.buffer.write(bundle_bytes())";

const PYTHONS = [
  "python3",
  "python3.13",
  "python3.12",
  "python3.11",
  "python3.10",
  "/usr/local/bin/python3",
  "/usr/bin/python3",
  "/opt/homebrew/bin/python3",
  "$HOME/.local/bin/python3",
  "$HOME/miniconda3/bin/python3",
];

/**
 * The one command that is ever run on a host. It finds a Python that is new enough, which then takes its program from
 * stdin. It is quoted so that sh, bash, zsh, csh and fish read it alike: neither single quote, backslash, exclamation
 * mark nor line break stands within.
 */
export const REMOTE_COMMAND = `exec /bin/sh -c 'for p in ${PYTHONS.join(
  " ",
)}; do if $p -I -S -c "import sys;sys.exit(sys.version_info<(3,10))" >/dev/null 2>&1; then exec $p -I -S -c "import sys;exec(sys.stdin.buffer.raw.readline())"; fi; done; echo; echo @slctl-python $(python3 -c "import sys;print(*sys.version_info[:3])" 2>/dev/null); exit 69'`;

/**
 * Runs on the host before slctl does: takes the bundle where it is not there yet, and becomes it.
 *
 * With a new one, older ones go that nothing has used for a month: whoever begins with one touches it, and so does each
 * supervisor with every beat, also on other machines that share the home. What a process of this machine names in its
 * command or environment stays, whatever its age.
 */
const BOOT = `
import hashlib, json, os, re, sys, tempfile, time
raw = sys.stdin.buffer.raw
ask = json.loads(raw.readline())

def say(word, **more):
    os.write(1, ("\\n@slctl-boot %s %s\\n" % (ask["nonce"], json.dumps({"word": word, **more}))).encode())

def digest(path):
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return None

def own(folder):
    os.makedirs(folder, 0o700, exist_ok=True)
    seen = os.lstat(folder)
    if seen.st_uid != os.getuid() or seen.st_mode & 0o022:
        raise OSError(1, "is not ours alone")
    return folder

def in_use():
    words = b""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        for name in ("cmdline", "environ"):
            try:
                with open("/proc/%s/%s" % (pid, name), "rb") as file:
                    words += file.read()
            except OSError:
                pass
    return words

def tidy(path):
    folder, newest = os.path.split(path)
    names = [name for name in os.listdir(folder) if re.fullmatch("slctl-[0-9a-f]{16}[.]pyz", name) and name != newest]
    old = [name for name in names if time.time() - os.lstat(os.path.join(folder, name)).st_mtime > 30 * 86400]
    used = in_use() if old else b""
    for name in old:
        if name.encode() not in used:
            os.unlink(os.path.join(folder, name))

short = "sightline-%d" % os.getuid()
folders = [os.path.join(os.path.expanduser("~"), ".sightline", "bin")]
folders += [os.path.join(base, short) for base in (tempfile.gettempdir() if os.access("/tmp", os.W_OK) else "/dev/shm", "/dev/shm")]
found = None
for folder in folders:
    path = os.path.join(folder, ask["name"])
    try:
        if digest(path) == ask["sha256"] and os.lstat(folder).st_uid == os.getuid():
            found = path
            break
    except OSError:
        pass
if found is None:
    say("want")
    data = b""
    while len(data) < ask["bytes"]:
        part = raw.read(ask["bytes"] - len(data))
        if not part:
            sys.exit(75)
        data += part
    problems = []
    for folder in folders:
        path = os.path.join(folder, ask["name"])
        draft = "%s.%d.part" % (path, os.getpid())
        try:
            own(folder)
            try:
                with open(draft, "wb") as file:
                    file.write(data)
                os.replace(draft, path)
            finally:
                if os.path.exists(draft):
                    os.unlink(draft)
        except OSError as error:
            problems.append("%s: %s" % (folder, error.strerror))
            continue
        if digest(path) == ask["sha256"]:
            found = path
            break
    try:
        if found is not None:
            tidy(found)
    except OSError:
        pass
if found is None:
    say("nowhere", problems=problems)
    sys.exit(74)
try:
    os.utime(found)
except OSError:
    pass
say("here", path=found)
os.execv(sys.executable, [sys.executable, "-I", "-S", found, "serve"])
`;

/** First line on the command's stdin: the program that receives the bundle. */
export const BOOT_LINE = `import base64;exec(base64.b64decode("${Buffer.from(BOOT).toString("base64")}"))\n`;

/** The trainer's Python as one file, known by its content. */
export type Bundle = { name: string; sha256: string; bytes: Buffer };

let packed: Promise<Bundle> | null = null;

/**
 * Packs the bundle once per process.
 *
 * @throws NoPythonError where this machine has no Python to pack it with.
 */
export function loadBundle(): Promise<Bundle> {
  packed ??= pack();
  packed.catch(() => {
    packed = null;
  });
  return packed;
}

async function pack(): Promise<Bundle> {
  const python = await findPython(process.env.PATH ?? "");
  const { stdout: bytes } = await run(python, ["-s", "-c", PACK], {
    env: { PATH: process.env.PATH, PYTHONPATH: TRAINER_DIR, PYTHONDONTWRITEBYTECODE: "1" },
    cwd: "/",
    encoding: "buffer",
    maxBuffer: MAX_BUNDLE_BYTES,
  });
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { name: `slctl-${sha256.slice(0, 16)}.pyz`, sha256, bytes };
}
