import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { type Sshd, startSshd, whyNoSshd } from "../../server/src/executors/testing/sshd.ts";
import { fillIndex } from "../../server/src/features/environment/testing/wheels.ts";
import { endProcessesOf } from "../../server/src/features/runs/testing/processes.ts";
import { expectAccessible } from "./support/axe.ts";
import { look } from "./support/looks.ts";
import {
  expectWhole,
  fillLaunchPage,
  fillTiny,
  openedRun,
  readStep,
  waitForState,
  waitForStep,
} from "./support/runs.ts";
import { test as base, expect } from "./support/server.ts";

const ROOT = join(import.meta.dirname, "../../..");
const why = whyNoSshd();
if (why !== null) console.warn(`Left out: ${why}`);

/** Playwright's test with an SSH host on loopback that the server can reach, and with which it has had no contact. */
const test = base.extend<{ sshd: Sshd }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from the pattern
  sshd: async ({}, use) => {
    test.skip(why !== null, why ?? "");
    const sshd = await startSshd("e2e");
    try {
      await use(sshd);
    } finally {
      await endProcessesOf(sshd.home);
      await sshd.remove();
    }
  },
  environment: async ({ sshd }, use) => use({ SIGHTLINE_SSH_CONFIG: sshd.client_config }),
});

const stateOf = (page: Page) => page.locator("[data-host-state]").first();
const check = (page: Page, id: string) => page.locator(`[data-check="${id}"]`);

/** Fills the three fields and confirms the key that the host shows. */
async function attach(page: Page, sshd: Sshd, name: string, root?: string): Promise<string> {
  await page.goto("/hosts/attach");
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Address").fill("testhost");
  if (root !== undefined) await page.getByLabel("Folder for runs").fill(root);
  await page.getByRole("button", { name: "Make contact" }).click();
  const key = page.getByRole("region", { name: "The host's key" });
  await expect(key).toContainText(sshd.fingerprint());
  await key.getByRole("button", { name: "Confirm and attach" }).click();
  await expect(page.locator("[data-check]").first()).toBeVisible();
  await look(page, "attach");
  await page.getByRole("button", { name: `Open ${name}` }).click();
  await page.waitForURL(/\/hosts\/h[0-9a-f]+/);
  // The address is there before the page, and the page's keys come with it.
  await expect(page.getByRole("heading", { name, exact: true })).toBeVisible();
  return new URL(page.url()).pathname.split("/").at(-1) ?? "";
}

test("a host is attached, its doctor says what is in the way, and a real run there outlives a cut link", async ({
  page,
  sshd,
}) => {
  test.setTimeout(900_000);
  const root = join(sshd.home, "runs");
  writeFileSync(root, "no folder");
  await page.goto("/hosts");
  await expect(page.getByRole("region", { name: "This machine" })).toBeVisible();
  await page.keyboard.press("a");
  await page.waitForURL(/\/hosts\/attach/);
  await page.getByRole("button", { name: "Make contact" }).click();
  await expect(page.getByText("The host needs a name.")).toBeVisible();
  await expectAccessible(page, "the page that attaches a host");
  const host_id = await attach(page, sshd, "Loopback", root);

  await expect(check(page, "reachable")).toHaveAttribute("data-state", "ok");
  await expect(check(page, "root")).toHaveAttribute("data-state", "fail");
  await expect(check(page, "root")).toContainText("Give the account a folder that it may write");
  await expect(page.getByText("One thing is in the way of runs.")).toBeVisible();
  rmSync(root);
  await page.getByRole("button", { name: "Look again" }).click();
  await expect(check(page, "root")).toHaveAttribute("data-state", "ok");
  await expect(page.getByText("Nothing is in the way of runs.")).toBeVisible();

  await page.getByRole("button", { name: "Prepare", exact: true }).click();
  await page.getByRole("menuitem", { name: "Adopt an interpreter…" }).click();
  const python = process.env.SIGHTLINE_TRAINER_PYTHON ?? "";
  await page.getByLabel("Path of the interpreter").fill(python);
  await page.getByRole("button", { name: "Adopt", exact: true }).click();
  await expect(page.locator("[data-event=prepared]")).toBeVisible({ timeout: 120_000 });
  await expectAccessible(page, "a host's page");

  await fillTiny(page, "over ssh", {
    "To train on": 64,
    "Held out": 16,
    "Warm start": 48,
    "Warm-start steps": 30,
    "Group size": 4,
    "Micro-batch": 32,
    "Longest completion": 24,
    "Checkpoint every": 4,
    "Evaluate every": 0,
  });
  await page.getByRole("radio", { name: /Loopback/ }).check();
  await page.getByRole("button", { name: "Launch", exact: true }).click();
  const run_id = await openedRun(page);
  await expect.poll(() => readStep(page), { timeout: 300_000 }).toBeGreaterThanOrEqual(2);
  expect(existsSync(join(root, run_id, "spec.json"))).toBe(true);

  await sshd.stop();
  await waitForState(page, "unreachable");
  const seen = await readStep(page);
  await page.goto(`/hosts/${host_id}`);
  await expect(stateOf(page)).toHaveAttribute("data-host-state", "unreachable");
  await expect(page.locator("[data-event=unreachable]")).toBeVisible();
  await expect(page.getByText(/^since \d/).first()).toBeVisible();
  await sshd.start();
  await expect(page.locator("[data-event=back]")).toBeVisible({ timeout: 60_000 });
  await page.goto(`/runs/${run_id}`);
  await waitForStep(page, seen + 1);
  await expect
    .poll(() => page.locator("[data-run-state]").getAttribute("data-run-state"), { timeout: 300_000 })
    .toBe("done");
  await expectWhole(page, run_id, 24);
});

test("a changed key stops everything until a person has compared it", async ({ page, sshd }) => {
  const host_id = await attach(page, sshd, "Loopback");
  const before = sshd.fingerprint();
  await expect(stateOf(page)).toHaveAttribute("data-host-state", "ready");
  await sshd.stop();
  sshd.changeKey();
  await sshd.start();
  const stop = page.getByRole("region", { name: "The host's key changed" });
  await expect(stop).toBeVisible({ timeout: 90_000 });
  await expect(stateOf(page)).toHaveAttribute("data-host-state", "refused");
  await expect(stop).toContainText(before);
  await expect(stop).toContainText(sshd.fingerprint());
  await expect(page.locator("[data-event=refused]")).toBeVisible();
  await expectAccessible(page, "a changed key");
  const trust = stop.getByRole("button", { name: "Trust the new key" });
  await expect(trust).toBeDisabled();
  await stop.getByRole("checkbox").check();
  await trust.click();
  await expect(stateOf(page)).toHaveAttribute("data-host-state", "ready", { timeout: 60_000 });
  await expect(page.locator("[data-event=confirmed]")).toContainText(sshd.fingerprint());
  await page.goto("/hosts");
  await expect(page.getByRole("region", { name: "Loopback" })).toContainText("Ready");
  expect(host_id).toMatch(/^h/);
});

test("a host is renamed, detached and brought back, and found in the palette", async ({ page, sshd }) => {
  const host_id = await attach(page, sshd, "Loopback");
  await page.keyboard.press("F2");
  await page.getByLabel("Name of the host").fill("Night shift");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Night shift" })).toBeVisible();
  await page.getByRole("button", { name: "Detach" }).click();
  await page.waitForURL(/\/hosts$/);
  await expect(page.getByRole("region", { name: "Night shift" })).toBeHidden();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("region", { name: "Night shift" })).toBeVisible();
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder("Find a page, a clip, a run, a command").fill("night");
  await expect(page.getByRole("dialog", { name: "Search" })).toContainText("Night shift");
  await page.keyboard.press("Enter");
  await page.waitForURL(new RegExp(`/hosts/${host_id}`));
  for (const kind of ["attached", "renamed", "detached", "restored"])
    await expect(page.locator(`[data-event=${kind}]`)).toBeVisible();
});

test("a host is prepared with packages of its own disk: cancelled, gone on with, ready", async ({
  page,
  sshd,
}) => {
  test.setTimeout(600_000);
  const index = join(sshd.folder, "index");
  mkdirSync(index);
  await fillIndex(index);
  const env = { PIP_NO_INDEX: "1", PIP_FIND_LINKS: index, PIP_CONFIG_FILE: "/dev/null" };
  await sshd.start({ env });
  await attach(page, sshd, "Loopback");
  const prepare = async () => {
    await page.getByRole("button", { name: "Prepare", exact: true }).click();
    await page.getByRole("menuitem", { name: "Install for the processor" }).click();
    await expect(page.getByText(/^Preparing/).first()).toBeVisible();
  };
  await prepare();
  await expect(page.getByRole("contentinfo")).toContainText("Preparing Loopback");
  await look(page, "preparing");
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  await expect(page.getByText("Not prepared")).toBeVisible();
  await prepare();
  await expect(page.locator("[data-event=prepared]")).toBeVisible({ timeout: 240_000 });
  await expect(page.getByRole("button", { name: "Prepare again" })).toBeVisible();
});

test("a run that somebody else started on a host is watched and can't be touched", async ({ page, sshd }) => {
  const folder = join(sshd.home, "their work");
  mkdirSync(folder);
  const spec = {
    run_id: "theirs",
    name: "their sweep, run 7",
    engine: "simulator",
    preset: "test",
    seed: 1,
    stages: [
      { name: "format", weights: { format: 7, accuracy: 3, consistency: 0 }, from_epoch: 0, to_epoch: 4 },
    ],
    settings: { steps_per_epoch: 15, steps_per_sec: 2, prompts_per_step: 2, group_size: 2, eval_steps: 0 },
  };
  execFileSync("python3", ["-m", "sightline_trainer.slctl", "rpc"], {
    input: JSON.stringify({ id: 1, op: "launch", root: folder, spec, attempt: 1, executor: "local" }),
    env: { ...process.env, PYTHONPATH: join(ROOT, "apps/trainer"), PYTHONDONTWRITEBYTECODE: "1" },
  });
  const host_id = await attach(page, sshd, "Loopback");
  await page.getByRole("button", { name: "Watch a run…" }).click();
  const dialog = page.getByRole("dialog", { name: "Watch a run on Loopback" });
  await dialog.getByLabel("Run directory on the host").fill(folder);
  await dialog.getByRole("button", { name: "Watch", exact: true }).click();
  await expect(dialog.getByRole("alert")).toContainText("is no run directory: it holds no spec.json");
  await dialog.getByLabel("Or look for run directories below").fill(sshd.home);
  await dialog.getByRole("button", { name: "Look", exact: true }).click();
  const theirs = dialog.getByRole("button", { name: /their sweep, run 7/ });
  await theirs.waitFor();
  await expectAccessible(page, "the dialog that watches a run");
  await theirs.click();
  await page.waitForURL(/\/runs\/theirs/);
  await expect(page.getByText("read-only: started elsewhere")).toBeVisible();
  await waitForStep(page, 3);
  for (const name of ["Stop", "Checkpoint", "Resume"])
    await expect(page.getByRole("button", { name, exact: true })).toBeHidden();
  await waitForState(page, "done");
  await expectWhole(page, "theirs", 60);
  await page.getByRole("tab", { name: "Checkpoints" }).click();
  await expect(page.getByText("Read-only: it was started elsewhere")).toBeVisible();
  await expect(page.getByRole("button", { name: "Fetch step 60" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Fork from step 60" })).toBeHidden();
  await expect(page.getByRole("button", { name: "Prune …" })).toBeHidden();
  await expectAccessible(page, "the checkpoints of a watched run");
  await look(page, "watched-checkpoints");
  await page.goto(`/hosts/${host_id}`);
  await expect(page.locator("[data-event=watching]")).toContainText("their work/theirs");
});

test("GPUs show as live charts, and what runs is named (an nvidia-smi of the test's own answers)", async ({
  page,
  sshd,
}) => {
  const tools = mkdtempSync(join(tmpdir(), "sightline-tools-"));
  try {
    const tool = join(tools, "nvidia-smi");
    writeFileSync(
      tool,
      `#!/bin/sh
cat <<'END'
0, GPU-a, 143771, 98304, 87, 61, Disabled, 570.86.15, NVIDIA H200
1, GPU-b, 143771, 20480, [N/A], 40, Enabled, 570.86.15, NVIDIA H200
END
`,
    );
    chmodSync(tool, 0o755);
    await sshd.start({ env: { PATH: `${tools}:${process.env.PATH}` } });
    await attach(page, sshd, "GPU box");
    await expect(page.getByRole("region", { name: "GPUs: busy" })).toBeVisible();
    await fillLaunchPage(page, { name: "on the box", numbers: { "Steps per second": 1 } });
    await page.getByRole("radio", { name: /GPU box/ }).check();
    await page.getByRole("button", { name: "Launch the simulation" }).click();
    await openedRun(page);
    await expect(page.getByRole("contentinfo")).toContainText("Simulating on the box");
    await page.goto("/hosts");
    const card = page.getByRole("region", { name: "GPU box" });
    await expect(card.getByRole("img", { name: /^GPU 0, last ten minutes: busy 87 %/ })).toBeVisible();
    await expect(card.getByRole("img", { name: /^GPU 1, last ten minutes: busy MIG/ })).toBeVisible();
    await expect(card.getByRole("img", { name: /^Processors/ })).toBeVisible();
    await expect(page.getByRole("region", { name: "This machine" }).getByText("No GPU")).toBeVisible();
    await expect(card.getByRole("link", { name: "on the box" })).toBeVisible();
    await expectAccessible(page, "the hosts page");
    await look(page, "hosts");
    await page.emulateMedia({ colorScheme: "dark" });
    await expectAccessible(page, "the hosts page in the dark");
  } finally {
    rmSync(tools, { recursive: true, force: true });
  }
});
