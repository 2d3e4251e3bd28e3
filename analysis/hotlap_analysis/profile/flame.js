// The flame graphs of the page: each .flame element holds a canvas, its buttons and its data.
// Everything is drawn in one pass from the tree, so that tens of thousands of frames stay quick.
"use strict";

const ROW = 20, LEAST_PIXELS = 0.4, LETTER = 7.0;

const format = (value, sign) =>
  (value < 0 ? "\u2212" : sign && value > 0 ? "+" : "") +
  Math.abs(value).toLocaleString("en", {maximumFractionDigits: Math.abs(value) < 10 ? 1 : 0});
const percent = (part) => (100 * part).toFixed(part < 0.0995 ? 2 : 1) + "\u00a0%";

class Flame {
  constructor(element) {
    this.element = element;
    this.data = JSON.parse(element.querySelector("script").textContent);
    this.root = readTree(this.data);
    this.canvas = element.querySelector("canvas");
    this.about = element.querySelector(".about");
    this.legend = element.querySelector(".legend");
    this.search = element.querySelector("input");
    this.zoomed = this.chosen = this.root;
    this.matches = null;
    this.widths = this.data.arms.length - 1;
    this.colors = this.data.arms.length > 1 ? "change" : "stage";
    this.upward = false;
    this.largest = this.data.arms.length > 1 ? largestChange(this.data, this.root) : 0;
    this.listen();
    this.show();
  }

  listen() {
    const at = (event) => this.find(event.offsetX, event.offsetY);
    this.canvas.addEventListener("mousemove", (event) => this.point(at(event)));
    this.canvas.addEventListener("mouseleave", () => this.point(null));
    this.canvas.addEventListener("click", (event) => { const n = at(event); if (n) this.zoom(n); });
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.search.addEventListener("input", () => this.seek(this.search.value));
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { this.search.value = ""; this.seek(""); }
    });
    this.element.querySelectorAll("[data-widths]").forEach((button) =>
      button.addEventListener("click", () => this.set({widths: Number(button.dataset.widths)})));
    this.element.querySelectorAll("[data-colors]").forEach((button) =>
      button.addEventListener("click", () => this.set({colors: button.dataset.colors})));
    this.element.querySelector(".turn").addEventListener("click",
      () => this.set({upward: !this.upward}));
    this.element.querySelector(".reset").addEventListener("click", () => this.reset());
    new ResizeObserver(() => this.draw()).observe(this.element);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.show());
  }

  set(changes) {
    Object.assign(this, changes);
    this.show();
  }

  reset() {
    this.search.value = "";
    this.set({zoomed: this.root, chosen: this.root, matches: null});
  }

  zoom(node) {
    this.set({zoomed: node, chosen: node});
  }

  // Frames whose name holds the text, whatever its case.
  seek(text) {
    const wanted = text.trim().toLowerCase();
    this.set({matches: wanted ? (node) => node.name.toLowerCase().includes(wanted) : null});
  }

  key(event) {
    const node = this.chosen, siblings = node.parent ? node.parent.children : [node];
    const shown = (list) => list.filter((each) => each.samples[this.widths] > 0);
    const beside = (step) => {
      const list = shown(siblings);
      return list[list.indexOf(node) + step];
    };
    const outward = this.upward ? "ArrowDown" : "ArrowUp";
    const inward = this.upward ? "ArrowUp" : "ArrowDown";
    const moves = {
      [outward]: () => node.parent, [inward]: () => shown(node.children)[0],
      ArrowLeft: () => beside(-1), ArrowRight: () => beside(1), Home: () => this.root,
    };
    if (event.key in moves) this.choose(moves[event.key]());
    else if (event.key === "Enter" || event.key === " ") this.zoom(node);
    else if (event.key === "Backspace") this.zoom(this.zoomed.parent || this.root);
    else if (event.key === "Escape") this.reset();
    else if (event.key === "/") this.search.focus();
    else return;
    event.preventDefault();
  }

  // By the keyboard; zooms out as far as it takes to see the frame.
  choose(node) {
    if (!node) return;
    const seen = (zoomed) => zoomed === node || ancestors(node).includes(zoomed) ||
      ancestors(zoomed).includes(node);
    let zoomed = this.zoomed;
    while (!seen(zoomed)) zoomed = zoomed.parent;
    this.set({zoomed, chosen: node, pointed: null});
  }

  point(node) {
    this.canvas.style.cursor = node ? "pointer" : "default";
    if (node === this.pointed) return;
    this.pointed = node;
    this.tell();
    this.draw();
  }

  find(x, y) {
    const row = Math.floor((this.upward ? this.canvas.clientHeight - y : y) / ROW);
    const hit = this.boxes.find((box) =>
      box.node.depth === row && x >= box.x && x < box.x + box.width);
    return hit ? hit.node : null;
  }

  show() {
    this.element.querySelectorAll("[data-widths]").forEach((button) =>
      button.setAttribute("aria-pressed", Number(button.dataset.widths) === this.widths));
    this.element.querySelectorAll("[data-colors]").forEach((button) =>
      button.setAttribute("aria-pressed", button.dataset.colors === this.colors));
    this.drawLegend();
    this.tell();
    this.draw();
  }

  // The line above the graph: the frame under the pointer, else the search, else the chosen frame.
  tell() {
    const lines = [];
    if (!this.pointed && this.matches) lines.push(this.toldMatches());
    else lines.push(...this.told(this.pointed || this.chosen));
    this.about.replaceChildren(...lines.map((text, i) => {
      const line = document.createElement(i ? "span" : "strong");
      line.textContent = text;
      return line;
    }));
  }

  told(node) {
    const {arms, stages} = this.data;
    const stage = stages[node.stage].name;
    const where = [node.object, node.parent && stage && `stage ${stage}`].filter(Boolean);
    const costs = arms.map((arm, i) => {
      const self = node.children.length ? `, itself ${format(own(node, i) * arm.ns)}` : "";
      const name = arms.length > 1 ? `${arm.name}: ` : "";
      return `${name}${format(ns(this.data, node, i))} ns per request ` +
        `(${percent(share(this.data, node, i))}${self})`;
    });
    if (arms.length > 1) {
      const found = change(this.data, node);
      const error = node.parent ? ` ± ${format(found.half)}` : "";
      costs.push(`difference ${format(found.ns, true)}${error} ns`);
    }
    return [node.name, where.join(", "), ...costs].filter(Boolean);
  }

  toldMatches() {
    const {arms} = this.data;
    const sums = matched(this.root, this.matches, arms.length);
    const parts = arms.map((arm, i) => `${arms.length > 1 ? `${arm.name}: ` : ""}` +
      `${format(sums[i] * arm.ns)} ns per request (${percent(sums[i] / arm.samples)})`);
    return sums.some((sum) => sum > 0) ? `found: ${parts.join("; ")}` : "no frame matches";
  }

  drawLegend() {
    const {arms, stages} = this.data, style = getComputedStyle(document.documentElement);
    const item = (color, text, press) => {
      const entry = document.createElement("li"), box = document.createElement("i");
      box.style.background = color;
      const button = document.createElement(press ? "button" : "span");
      button.append(box, text);
      if (press) button.addEventListener("click", press);
      entry.append(button);
      return entry;
    };
    if (this.colors === "stage") {
      this.legend.replaceChildren(...stages.filter((stage) => stage.shown).map((stage) =>
        item(`var(${stage.color})`, stage.name,
          () => this.set({matches: (node) => stages[node.stage] === stage}))));
      return;
    }
    const only = 1 - this.widths, unseen = [...all(this.root)].filter((node) => node.parent &&
      !node.samples[this.widths] && node.parent.samples[this.widths]);
    const lost = unseen.reduce((sum, node) => sum + ns(this.data, node, only), 0);
    const scale = this.largest > 0 ? `, by up to ${format(this.largest)} ns` : "";
    const entries = [
      item("var(--cheaper)", `cheaper in ${arms[1].name}`),
      item("var(--dearer)", `dearer in ${arms[1].name}${scale}`),
      item("var(--rest)", "within the error of sampling"),
    ];
    if (lost > 0) {
      entries.push(item("transparent", `${format(lost)} ns are in frames that only ` +
        `${arms[only].name} has: see its widths`, () => this.set({widths: only})));
    }
    this.legend.replaceChildren(...entries);
  }

  color(node, style) {
    const named = (name) => style.getPropertyValue(name).trim();
    if (this.colors === "stage") return named(this.data.stages[node.stage].color);
    if (!standsOut(this.data, node)) return named("--rest");
    const found = change(this.data, node).ns;
    const depth = Math.min(1, 0.25 + 0.75 * Math.sqrt(Math.abs(found) / this.largest));
    return mix(named("--rest"), named(found > 0 ? "--dearer" : "--cheaper"), depth);
  }

  draw() {
    const width = this.canvas.parentElement.clientWidth;
    if (!width) return;
    this.boxes = layOut(this.zoomed, this.widths, width, LEAST_PIXELS);
    const rows = 1 + this.boxes.reduce((most, box) => Math.max(most, box.node.depth), 0);
    const scale = window.devicePixelRatio || 1, height = rows * ROW;
    this.canvas.style.height = `${height}px`;
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    const pen = this.canvas.getContext("2d");
    pen.scale(scale, scale);
    pen.font = "11.5px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
    pen.textBaseline = "middle";
    const style = getComputedStyle(document.documentElement);
    for (const box of this.boxes) this.drawBox(pen, box, height, style);
  }

  drawBox(pen, box, height, style) {
    const {node} = box, row = node.depth * ROW;
    const top = this.upward ? height - row - ROW : row, gap = box.width > 2 ? 1 : 0;
    const hit = !this.matches || this.matches(node);
    pen.globalAlpha = box.above ? 0.55 : hit ? 1 : 0.28;
    pen.fillStyle = this.color(node, style);
    pen.fillRect(box.x, top, Math.max(box.width - gap, LEAST_PIXELS), ROW - 1);
    pen.globalAlpha = hit && !box.above ? 1 : 0.6;
    pen.fillStyle = style.getPropertyValue("--ink");
    const letters = Math.floor((box.width - 8) / (this.letter ||= pen.measureText("m").width || LETTER));
    const text = node.label.length <= letters ? node.label : node.short;
    if (letters >= 3) {
      const shown = text.length <= letters ? text : `${text.slice(0, letters - 1)}…`;
      pen.fillText(shown, box.x + 4, top + ROW / 2);
    }
    pen.globalAlpha = 1;
    if (node === this.pointed || (node === this.chosen && node.parent)) {
      pen.strokeStyle = style.getPropertyValue("--ink");
      pen.lineWidth = 1.5;
      pen.strokeRect(box.x + 0.75, top + 0.75, Math.max(box.width - gap - 1.5, 1), ROW - 2.5);
    }
  }
}

// Between two colours "#rrggbb".
function mix(from, to, part) {
  const channels = (color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
  const [a, b] = [channels(from), channels(to)];
  return `rgb(${a.map((value, i) => Math.round(value + (b[i] - value) * part)).join(",")})`;
}

document.querySelectorAll(".flame").forEach((element) => new Flame(element));
