// The call tree behind a flame graph: reading it, laying it out, finding in it. Knows no screen.
"use strict";

// Nodes come as numbers, each node before its children: name, stage, children, samples of each arm,
// and their squares where samples are not counts.
function readTree(data) {
  const arms = data.arms.length;
  let at = 0;
  function next(parent) {
    const name = data.nodes[at], stage = data.nodes[at + 1], count = data.nodes[at + 2];
    const node = {
      name: data.names[name], label: data.labels[name], short: data.shorts[name],
      object: data.objects[name],
      stage, parent, depth: parent ? parent.depth + 1 : 0,
      samples: data.nodes.slice(at + 3, at + 3 + arms), children: [],
    };
    at += 3 + arms;
    node.squares = data.squares ? data.nodes.slice(at, at += arms) : node.samples;
    for (let i = 0; i < count; ++i) node.children.push(next(node));
    if (arms > 1) node.change = change(data, node);
    return node;
  }
  return next(null);
}

function ns(data, node, arm) {
  return node.samples[arm] * data.arms[arm].ns;
}

function share(data, node, arm) {
  return node.samples[arm] / data.arms[arm].samples;
}

// What a node spends itself, of one arm, in samples.
function own(node, arm) {
  return node.children.reduce((left, child) => left - child.samples[arm], node.samples[arm]);
}

// Second arm less first per request, and half its 95 % interval: events come independently, and what
// each weighs stands in the sum of squares.
function change(data, node) {
  const [a, b] = data.arms.map((arm, i) => ({
    ns: ns(data, node, i), error: arm.ns * Math.sqrt(Math.max(node.squares[i], data.floor)),
  }));
  return {ns: b.ns - a.ns, half: data.z * Math.hypot(a.error, b.error)};
}

function standsOut(node) {
  return Math.abs(node.change.ns) > node.change.half;
}

// Of any frame but the root, in ns per request, among those that stand out.
function largestChange(root) {
  let most = 0;
  for (const node of all(root)) {
    if (node.parent && standsOut(node)) most = Math.max(most, Math.abs(node.change.ns));
  }
  return most;
}

function ancestors(node) {
  const found = [];
  for (let above = node.parent; above; above = above.parent) found.unshift(above);
  return found;
}

function all(node) {
  const found = [node];
  for (let at = 0; at < found.length; ++at) found.push(...found[at].children);
  return found;
}

// What of `arm` is in frames that the other arm has not at all, in samples.
function onlyIn(root, arm, other) {
  let sum = 0;
  for (const node of all(root)) {
    if (node.parent && !node.samples[other] && node.parent.samples[other]) sum += node.samples[arm];
  }
  return sum;
}

// Rectangles of what is zoomed to: its ancestors as wide as everything, then itself and below, as
// wide as their samples of `arm`. Narrower ones than `least` pixels are left out.
function layOut(zoomed, arm, width, least) {
  const boxes = ancestors(zoomed).map((node) => ({node, x: 0, width, above: true}));
  function place(node, x, wide) {
    boxes.push({node, x, width: wide, above: false});
    let left = x;
    for (const child of node.children) {
      const childWide = node.samples[arm] ? wide * child.samples[arm] / node.samples[arm] : 0;
      if (childWide >= least) place(child, left, childWide);
      left += childWide;
    }
  }
  place(zoomed, 0, width);
  return boxes;
}

// Samples of each arm under frames that match, each counted once however many match on a stack.
function matched(node, matches, arms) {
  const sums = new Array(arms).fill(0);
  (function visit(at) {
    if (matches(at)) return at.samples.forEach((count, arm) => { sums[arm] += count; });
    at.children.forEach(visit);
  })(node);
  return sums;
}
