// Tests the chat page of a running server in Debian's chromium.
//
// usage: node page.mjs URL [KEY]
import assert from "node:assert/strict";
import { chromium } from "playwright-core";

const [url, key = ""] = process.argv.slice(2);
const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", headless: true, args: flags });
let passed = 0;

// test runs f on a fresh page; whatever the page complains about fails it.
async function test(name, f, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, ...options });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", m => m.type() === "error" && !/status of 401/.test(m.text()) && complaints.push(m.text()));
  page.on("pageerror", e => complaints.push(String(e)));
  page.on("request", r => r.url().startsWith(url) || complaints.push("asked for " + r.url()));
  if (key) await context.addInitScript(k => { if (!localStorage.length) localStorage.setItem("minillm.prefs", JSON.stringify({ key: k, max_tokens: "12" })); }, key);
  try {
    await page.goto(url + "/");
    await f(page, context);
    assert.deepEqual(complaints, []);
  } catch (e) {
    console.error(`${name}: ${e.stack}\n${complaints.join("\n")}`);
    process.exit(1);
  }
  await context.close();
  passed++;
  console.log("ok", name);
}
const ask = async (page, text) => { await page.fill("#text", text); await page.keyboard.press("Enter"); };
const done = (page, n = 1) => page.waitForFunction(n => document.querySelectorAll(".turn.assistant .foot").length === n && !document.querySelector(".busy"), n);
const stats = page => page.locator(".turn.assistant .stats").last().textContent();
const answer = page => page.locator(".turn.assistant > .body").last().textContent();
// reply answers the next chat with events of our own.
const reply = (page, ...deltas) => page.route("**/v1/chat/completions", r => r.fulfill({
  contentType: "text/event-stream",
  body: deltas.map(d => `data: ${JSON.stringify(d.error ? d : { choices: [{ index: 0, delta: d }] })}\n\n`).join("") + (deltas.at(-1).error ? "" : "data: [DONE]\n\n"),
}), { times: 1 });

await test("an answer comes with its figures", async page => {
  await ask(page, "Hello");
  await done(page);
  assert.match(await stats(page), /[\d.]+ tok\/s · TTFT [\d.]+ m?s · 12 tokens · \d+ of \d+ prompt tokens cached/);
  assert.notEqual(await answer(page), "");
  assert.match(await page.textContent("#model"), /\S+context/);
});

await test("history is kept, and can be deleted", async page => {
  await ask(page, "Remember this");
  await done(page);
  const said = await answer(page);
  await page.reload();
  await page.click("#chats .open");
  assert.equal(await answer(page), said);
  await ask(page, "And this");
  await done(page, 2);
  await page.keyboard.press("Alt+KeyN");
  assert.equal(await page.locator(".turn").count(), 0);
  assert.equal(await page.locator("#chats li").count(), 1);
  await page.hover("#chats li");
  await page.click("#chats .drop");
  await page.reload();
  assert.equal(await page.locator("#chats li").count(), 0);
});

await test("settings reach the server: a seed gives the same answer again", async page => {
  await page.click("#settings");
  for (const [name, value] of Object.entries({ seed: "42", temperature: "1.5", top_k: "40", top_p: "0.95", max_tokens: "20", system: "Be brief." })) await page.fill(`[name=${name}]`, value);
  await page.click("dialog button[value=ok]");
  const sent = page.waitForRequest("**/v1/chat/completions");
  await ask(page, "Hello");
  const body = (await sent).postDataJSON();
  assert.deepEqual([body.seed, body.temperature, body.top_k, body.top_p, body.max_tokens, body.messages[0].content, body.messages.length], [42, 1.5, 40, 0.95, 20, "Be brief.", 2]);
  await done(page);
  const first = await answer(page);
  await page.click("text=Again");
  await page.waitForSelector(".busy", { state: "attached" }).catch(() => {});
  await done(page);
  assert.equal(await answer(page), first);
});

// endless lets the next answers go on until they are stopped.
const endless = page => page.evaluate(() => {
  const ask = window.fetch;
  window.fetch = (to, o) => !to.includes("chat/completions") ? ask(to, o) : Promise.resolve(new Response(new ReadableStream({
    start(c) {
      const event = new TextEncoder().encode('data: {"choices": [{"index": 0, "delta": {"content": "on and "}}]}\n\n');
      const timer = setInterval(() => c.enqueue(event), 20);
      o.signal.onabort = () => { clearInterval(timer); c.error(o.signal.reason); };
    },
  })));
});
for (const how of ["Stop", "Escape"]) await test(`an answer can be stopped: ${how}`, async page => {
  await endless(page);
  await ask(page, "Go on and on");
  await page.waitForFunction(() => document.querySelector(".turn.assistant .body")?.textContent.length > 20);
  await (how === "Stop" ? page.click("#send") : page.keyboard.press("Escape"));
  await done(page);
  assert.match(await stats(page), /^stopped/);
  assert.match(await answer(page), /^on and on/);
});

await test("an answer goes on while another chat is open", async page => {
  await endless(page);
  await ask(page, "First");
  await page.waitForSelector(".turn.assistant .body p");
  await page.keyboard.press("Alt+KeyN");
  assert.equal(await page.locator(".turn").count(), 0);
  await page.click("#chats .open");
  const before = (await answer(page)).length;
  await page.waitForFunction(n => document.querySelector(".turn.assistant > .body").textContent.length > n + 20, before);
  await page.keyboard.press("Escape");
  await done(page);
});

await test("what the model says is text", async page => {
  await reply(page, { content: "<img src=x onerror=alert(1)> **bold** `<b>`\n\n```html\n<script>alert(2)</script>\n```\nend" });
  await ask(page, "x");
  await done(page);
  assert.equal(await page.locator(".turn img, .turn script, .turn b").count(), 0);
  assert.match(await answer(page), /<img src=x onerror=alert\(1\)> bold <b>/);
  assert.equal(await page.textContent(".block pre"), "<script>alert(2)</script>");
  assert.equal(await page.textContent(".turn strong"), "bold");
});

await test("thoughts are folded away", async page => {
  await reply(page, { reasoning_content: "hm, " }, { reasoning_content: "yes" }, { content: "Yes." });
  await ask(page, "x");
  await done(page);
  assert.equal(await answer(page), "Yes.");
  assert.equal(await page.locator("details .body").isVisible(), false);
  await page.click("summary");
  assert.equal(await page.locator("details .body").innerText(), "hm, yes");
});

await test("a failure is told, and the next question works", async page => {
  await reply(page, { content: "so far" }, { error: { message: "no weights" } });
  await ask(page, "x");
  await done(page);
  assert.equal(await page.textContent(".foot .error"), "no weights");
  assert.equal(await answer(page), "so far");
  await ask(page, "again");
  await done(page, 2);
  assert.match(await stats(page), /tok\/s/);
});

await test("a question without an answer is not asked again with the next one", async page => {
  await reply(page, { error: { message: "no weights" } });
  await ask(page, "first");
  await done(page);
  const asked = page.waitForRequest("**/v1/chat/completions");
  await ask(page, "second");
  assert.deepEqual((await asked).postDataJSON().messages, [{ role: "user", content: "second" }]);
  await page.waitForFunction(() => !document.querySelector(".busy"));
});

await test("a phone: nothing overflows, the menu opens", async page => {
  await ask(page, "A_long_word_" + "x".repeat(300));
  await done(page);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
  assert.equal(await page.locator("#chats .open").isVisible(), false);
  await page.click("#menu");
  await page.locator("#chats .open").click();
  await page.waitForFunction(() => !document.body.classList.contains("menu"));
}, { viewport: { width: 360, height: 740 } });

await test("light and dark", async page => {
  const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await back();
  await page.emulateMedia({ colorScheme: "light" });
  assert.notEqual(await back(), dark);
  await page.click("#settings");
  await page.selectOption("[name=theme]", "dark");
  assert.equal(await back(), dark);
}, { colorScheme: "dark" });

await test("all of it with the keyboard", async page => {
  assert.equal(await page.evaluate(() => document.activeElement.id), "text");
  await page.keyboard.type("one");
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.type("two");
  await page.keyboard.press("Enter");
  await done(page);
  assert.equal(await page.locator(".turn.user .body").innerText(), "one\ntwo");
  for (let i = 0; i < 12 && await page.evaluate(() => document.activeElement.id) !== "settings"; i++) await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.querySelector("dialog").open), true);
  await page.keyboard.press("Escape");
  assert.equal(await page.evaluate(() => document.querySelector("dialog").open), false);
});

if (key) await test("without the key it says what is missing", async page => {
  await page.evaluate(() => localStorage.setItem("minillm.prefs", "{}"));
  await page.reload();
  await page.waitForSelector("#model .error");
  assert.match(await page.textContent("#model"), /API key/);
  await ask(page, "x");
  await done(page);
  assert.match(await page.textContent(".foot .error"), /API key/);
});

await browser.close();
console.log(`chat page: ${passed} passed, 0 failed`);
