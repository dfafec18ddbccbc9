"use strict";
// Rows are made as they come into view, and what is in them when they are opened: ten thousand results open at once.
(() => {
  const BATCH = 100, PRINTED_OPEN = 200;
  const data = JSON.parse(document.getElementById("data").textContent);
  const entries = data.entries, list = document.getElementById("list"), more = document.getElementById("more");
  const status = document.getElementById("status"), find = document.getElementById("find");
  const picks = [...document.querySelectorAll("input[name]")];
  const chunks = [];
  let shown = [], made = 0;

  const element = (name, kind, text) => {
    const made = document.createElement(name);
    if (kind) made.className = kind;
    if (text !== undefined) made.textContent = text;
    return made;
  };

  const words = (entry) => entry.words ??= [entry.word, entry.headline, entry.kernel, entry.place, entry.command,
    ...(entry.lines ?? []).flat()].join("\n").toLowerCase();

  function row(entry) {
    const item = element("li"), details = element("details"), summary = element("summary");
    const badge = element("span", `badge ${entry.mark}`, `${data.signs[entry.mark]} ${entry.word}`);
    const where = element("span", "where", [entry.kernel, entry.place].filter(Boolean).join(" · "));
    summary.append(badge, element("span", "what", entry.headline), where);
    details.append(summary);
    details.addEventListener("toggle", () => { if (details.open) fill(details, entry); });
    details.entry = entry;
    item.append(details);
    return item;
  }

  function fill(details, entry) {
    if (details.filled) return;
    details.filled = true;
    const body = element("div", "body");
    if (entry.lines) body.append(panel({ title: "", rows: entry.lines }, "excerpt"));
    if (entry.pictures) {
      const frame = element("div", "panel");
      for (const text of pictures(entry.pictures)) {
        const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
        frame.append(document.importNode(parsed, true));
      }
      body.append(frame);
    }
    const panels = element("div", "row");
    for (const each of entry.panels ?? []) panels.append(panel(each, each.head || each.code ? "wider" : ""));
    body.append(panels);
    if (entry.scope) body.append(element("p", "sub", entry.scope));
    if (entry.premises !== undefined) body.append(fold("assumed", data.premises[entry.premises].map(
      ([name, sentence, by]) => `${name}: ${sentence} [granted by: ${by}]`)));
    if (entry.readings !== undefined) body.append(fold("readings of the manual", data.readings[entry.readings]));
    details.append(body);
  }

  function pictures([chunk, start, end]) {
    chunks[chunk] ??= JSON.parse(document.getElementById(`pictures-${chunk}`).textContent);
    return chunks[chunk].slice(start, end);
  }

  function panel(each, kind) {
    const frame = element("section", `panel ${kind}`);
    if (each.title) frame.append(element("h2", "", each.title));
    if (each.code) {
      const copied = element("button", "", "copy"), code = element("pre", "", each.rows[0][0]);
      copied.type = "button";
      copied.addEventListener("click", () => copy(code, copied));
      frame.append(code, copied);
      return frame;
    }
    const table = element("table", each.head ? "parts" : "");
    if (each.head) {
      const head = element("tr");
      for (const title of each.head) head.append(element("th", "", title));
      table.append(head);
    }
    each.rows.forEach((cells, number) => {
      const line = element("tr", (each.marked ?? []).includes(number) ? "marked" : "");
      cells.forEach((cell, place) => line.append(element("td", cells.length > 1 && place % 3 === 0 ? "m n" : "m", cell)));
      table.append(line);
    });
    frame.append(table);
    return frame;
  }

  function fold(title, lines) {
    const details = element("details", "fold"), list = element("ul");
    details.append(element("summary", "", `${title}: ${lines.length}`));
    for (const line of lines) list.append(element("li", "", line));
    details.append(list);
    return details;
  }

  function copy(code, button) {
    const range = document.createRange();
    range.selectNodeContents(code);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    const done = () => { button.textContent = "copied"; };
    if (navigator.clipboard) navigator.clipboard.writeText(code.textContent).then(done, () => {});
    else if (document.execCommand("copy")) done();
  }

  function make(count) {
    const rows = document.createDocumentFragment(), end = Math.min(made + count, shown.length);
    for (; made < end; made++) rows.append(row(shown[made]));
    list.append(rows);
    more.hidden = made >= shown.length;
    more.textContent = `show more (${shown.length - made} left)`;
  }

  function filter() {
    const on = {}, all = {};
    for (const pick of picks) {
      all[pick.name] ??= new Set();
      if (pick.checked) all[pick.name].add(pick.value);
    }
    for (const name in all) if (all[name].size) on[name] = all[name];
    const wanted = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    shown = entries.filter((entry) => (!on.mark || on.mark.has(entry.mark)) && (!on.command || on.command.has(entry.command))
      && wanted.every((word) => words(entry).includes(word)));
    list.replaceChildren();
    made = 0;
    make(BATCH);
    status.textContent = `${shown.length} of ${entries.length} results`;
  }

  function move(event) {
    const summaries = [...list.querySelectorAll("li > details > summary")];
    const place = summaries.indexOf(document.activeElement);
    const steps = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };
    if (event.key === "/" && document.activeElement !== find) { event.preventDefault(); find.focus(); return; }
    if (event.key === "Escape" && document.activeElement === find) { find.value = ""; filter(); return; }
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in steps)) return;
    if (document.activeElement === find && event.key !== "ArrowDown") return;
    if (place < 0 && document.activeElement !== find && document.activeElement !== document.body) return;
    if (place + 1 >= summaries.length && steps[event.key] > 0) make(BATCH);
    const next = list.querySelectorAll("li > details > summary")[Math.max(0, place + steps[event.key])];
    if (next) { event.preventDefault(); next.focus(); }
  }

  let opened = [];
  addEventListener("beforeprint", () => {
    make(shown.length);
    opened = [...list.querySelectorAll("li > details:not([open])")].filter((one) => data.attention.includes(one.entry.mark));
    for (const one of opened.slice(0, PRINTED_OPEN)) { fill(one, one.entry); one.open = true; }
  });
  addEventListener("afterprint", () => { for (const one of opened) one.open = false; });
  document.getElementById("filter").addEventListener("submit", (event) => event.preventDefault());
  for (const pick of picks) pick.addEventListener("change", filter);
  find.addEventListener("input", filter);
  more.addEventListener("click", () => make(BATCH));
  document.addEventListener("keydown", move);
  new IntersectionObserver((seen) => { if (seen.some((one) => one.isIntersecting)) make(BATCH); }, { rootMargin: "400px" })
    .observe(more);
  filter();
  if (data.open && list.firstChild) list.firstChild.firstChild.open = true;
})();
