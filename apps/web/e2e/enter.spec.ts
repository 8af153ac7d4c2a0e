import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "./support/server.ts";

const ASSETS = join(import.meta.dirname, "../dist/assets");

test("the printed address opens the workbench, isolated and without a word from its own policy", async ({
  page,
  server,
}) => {
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(`/enter?token=${server.token}`);
  await expect(page.getByRole("navigation").first()).toBeVisible();
  expect(page.url()).not.toContain(server.token);
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
  expect(await page.evaluate(() => document.cookie)).toBe("");
  for (const name of ["Runs", "Library"]) {
    await page.getByRole("link", { name, exact: true }).click();
    await expect(page).toHaveURL(new RegExp(name.toLowerCase()));
  }
  expect(complaints).toEqual([]);
});

test("without the address there is only the page that says how to come in", async ({ browser, server }) => {
  const stranger = await browser.newPage();
  const answer = await stranger.goto(`${server.url}/runs`);
  expect(answer?.status()).toBe(401);
  await expect(stranger.getByText("Open the address that npm start printed")).toBeVisible();
  await stranger.close();
});

test("who is in stays in when the server is killed and started again", async ({ page, server }) => {
  await server.kill();
  await server.restart();
  await page.goto("/runs");
  await expect(page.getByRole("navigation").first()).toBeVisible();
});

test("a page of another site can neither send a form, nor read, nor frame", async ({
  page,
  context,
  server,
}) => {
  await context.route("https://evil.example/**", (route) =>
    route.fulfill({
      contentType: "text/html",
      body: `<form id="form" method="post" enctype="text/plain" action="${server.url}/trpc/clips.undo"><input name="{}"></form><iframe src="${server.url}/runs"></iframe>`,
    }),
  );
  await page.goto("https://evil.example/");
  const read = await page.evaluate(async (url) => {
    try {
      const answer = await fetch(`${url}/trpc/health`, { credentials: "include", mode: "no-cors" });
      return answer.type;
    } catch {
      return "refused";
    }
  }, server.url);
  expect(read).toBe("refused");
  await expect(page.frameLocator("iframe").getByRole("navigation")).toHaveCount(0);
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.url().endsWith("/trpc/clips.undo")),
    page.evaluate(() => (document.querySelector("#form") as HTMLFormElement).submit()),
  ]);
  expect(answer.status()).toBe(403);
});

test("only a worker may make functions from text, as OpenCV does", async ({ page }) => {
  const scripts = readdirSync(ASSETS).filter((name) => name.endsWith(".js"));
  const workers = scripts.filter((name) => name.includes("worker"));
  expect(workers.length).toBeGreaterThan(0);
  for (const name of scripts) {
    const answer = await page.request.get(`/assets/${name}`);
    const mayEvaluate = answer.headers()["content-security-policy"]?.includes("'unsafe-eval'");
    expect([name, answer.status(), mayEvaluate]).toEqual([name, 200, workers.includes(name)]);
  }
});
