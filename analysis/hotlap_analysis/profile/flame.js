// The flame graphs of the page: each .flame element holds a canvas, its buttons and its data.
// Everything is drawn in one pass from the tree, so that tens of thousands of frames stay quick.
"use strict";

const ROW = 20, LEAST_PIXELS = 0.4;

const format = (value, sign, digits) =>
  (value < 0 ? "\u2212" : sign && value > 0 ? "+" : "") +
  Math.abs(value).toLocaleString("en", {maximumFractionDigits: Math.abs(value) < 10 ? digits : 0});
const percent = (part) => (100 * part).toFixed(part < 0.0995 ? 2 : 1) + "\u00a0%";

class Flame {
  constructor(element) {
    this.element = element;
    this.data = JSON.parse(element.querySelector("script").textContent);
    this.root = readTree(this.data);
    this.canvas = element.querySelector("canvas");
    this.frames = document.createElement("canvas");  // as drawn, without the outlines
    this.about = element.querySelector(".about");
    this.legend = element.querySelector(".legend");
    this.search = element.querySelector("input");
    this.zoomed = this.chosen = this.root;
    this.matches = null;
    const last = this.data.arms.length - 1;
    this.widths = this.root.samples[last] ? last : 0;  // an arm with nothing has no widths
    this.colors = this.data.arms.length > 1 ? "change" : "stage";
    this.upward = false;
    this.largest = this.data.arms.length > 1 ? largestChange(this.root) : 0;
    this.listen();
    this.show();
  }

  // A figure per request, as finely as its unit wants it.
  figure(value, sign) {
    return format(value, sign, this.data.digits);
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

  // Frames of a stage, or again all of them.
  pick(stage) {
    const again = this.matches && this.matches.stage === stage;
    const matches = (node) => this.data.stages[node.stage] === stage;
    this.search.value = "";
    this.set({matches: again ? null : Object.assign(matches, {stage})});
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
    this.mark();
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
      line.textContent = line.title = text;
      return line;
    }));
  }

  told(node) {
    const {arms, stages, unit, none} = this.data;
    const stage = stages[node.stage].name;
    const where = [node.object, node.parent && stage && `stage ${stage}`].filter(Boolean);
    const costs = arms.map((arm, i) => {
      const self = node.children.length ? `, itself ${this.figure(own(node, i) * arm.ns)}` : "";
      const name = arms.length > 1 ? `${arm.name}: ` : "";
      if (!node.samples[i]) return `${name}${none}`;
      return `${name}${this.figure(ns(this.data, node, i))} ${unit} per request ` +
        `(${percent(share(this.data, node, i))}${self})`;
    });
    if (arms.length > 1) {
      const error = node.parent ? ` ± ${this.figure(node.change.half)}` : "";
      costs.push(`difference ${this.figure(node.change.ns, true)}${error} ${unit}`);
    }
    return [node.name, where.join(", "), ...costs].filter(Boolean);
  }

  toldMatches() {
    const {arms, unit, none} = this.data;
    const sums = matched(this.root, this.matches, arms.length);
    const cost = (arm, i) => sums[i] ?
      `${this.figure(sums[i] * arm.ns)} ${unit} per request ` +
      `(${percent(sums[i] / arm.samples)})` : none;
    const parts = arms.map((arm, i) => (arms.length > 1 ? `${arm.name}: ` : "") + cost(arm, i));
    return sums.some((sum) => sum > 0) ? `found: ${parts.join("; ")}` : "no frame matches";
  }

  drawLegend() {
    const {arms, stages, unit} = this.data;
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
          () => this.pick(stage))));
      return;
    }
    const only = 1 - this.widths, lost = onlyIn(this.root, only, this.widths) * arms[only].ns;
    const entries = [
      item("var(--cheaper)", `cheaper in ${arms[1].name}`),
      item("var(--dearer)", `dearer in ${arms[1].name}`),
      item("var(--rest)", "within the error of sampling"),
    ];
    if (this.largest > 0) {
      entries.push(item("transparent", `deepest colour: ${this.figure(this.largest)} ${unit}`));
    }
    if (lost > 0) {
      entries.push(item("transparent", `${this.figure(lost)} ${unit} are in frames that only ` +
        `${arms[only].name} has: see its widths`, () => this.set({widths: only})));
    }
    this.legend.replaceChildren(...entries);
  }

  color(node) {
    if (this.colors === "stage") return this.named(this.data.stages[node.stage].color);
    if (!standsOut(node)) return this.named("--rest");
    const depth = Math.min(1, 0.25 + 0.75 * Math.sqrt(Math.abs(node.change.ns) / this.largest));
    return mix(this.named("--rest"), this.named(node.change.ns > 0 ? "--dearer" : "--cheaper"),
      depth);
  }

  // The colour behind a name of the style sheet, as it is in light or dark now.
  named(name) {
    this.palette[name] ||= getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    return this.palette[name];
  }

  draw() {
    const width = this.canvas.parentElement.clientWidth;
    if (!width) return;
    this.palette = {};
    this.boxes = layOut(this.zoomed, this.widths, width, LEAST_PIXELS);
    const rows = 1 + this.boxes.reduce((most, box) => Math.max(most, box.node.depth), 0);
    const scale = window.devicePixelRatio || 1;
    this.height = rows * ROW;
    this.canvas.style.height = `${this.height}px`;
    for (const canvas of [this.canvas, this.frames]) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(this.height * scale);
      canvas.getContext("2d").scale(scale, scale);
    }
    const pen = this.frames.getContext("2d");
    pen.font = "11.5px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
    pen.textBaseline = "middle";
    this.letter = pen.measureText("m").width;
    for (const box of this.boxes) this.drawBox(pen, box);
    this.mark();
  }

  // The frames as drawn, and an outline around the pointed and the chosen one.
  mark() {
    const pen = this.canvas.getContext("2d"), {width, height} = this.canvas;
    pen.save();
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.drawImage(this.frames, 0, 0);
    pen.restore();
    pen.strokeStyle = this.named("--ink");
    pen.lineWidth = 1.5;
    for (const {node, x, width: wide} of this.boxes) {
      if (node === this.pointed || (node === this.chosen && node.parent)) {
        pen.strokeRect(x + 0.75, this.top(node) + 0.75, Math.max(wide - 2.5, 1), ROW - 2.5);
      }
    }
  }

  top(node) {
    return this.upward ? this.height - (node.depth + 1) * ROW : node.depth * ROW;
  }

  drawBox(pen, {node, x, width, above}) {
    const top = this.top(node), gap = width > 2 ? 1 : 0;
    const hit = !this.matches || this.matches(node);
    pen.globalAlpha = above ? 0.55 : hit ? 1 : 0.28;
    pen.fillStyle = this.color(node);
    pen.fillRect(x, top, Math.max(width - gap, LEAST_PIXELS), ROW - 1);
    const letters = Math.floor((width - 8) / this.letter);
    if (letters < 3) return;
    const text = node.label.length <= letters ? node.label : node.short;
    pen.globalAlpha = hit && !above ? 1 : 0.6;
    pen.fillStyle = this.named("--ink");
    pen.fillText(text.length <= letters ? text : `${text.slice(0, letters - 1)}…`, x + 4,
      top + ROW / 2);
  }
}

// Between two colours "#rrggbb".
function mix(from, to, part) {
  const channels = (color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
  const [a, b] = [channels(from), channels(to)];
  return `rgb(${a.map((value, i) => Math.round(value + (b[i] - value) * part)).join(",")})`;
}

document.querySelectorAll(".flame").forEach((element) => new Flame(element));
