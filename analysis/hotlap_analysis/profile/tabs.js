// The page's views as tabs: without this script they stand one below the other.
"use strict";

class Tabs {
  constructor(list) {
    this.buttons = [...list.querySelectorAll("[role=tab]")];
    this.panels = this.buttons.map((tab) =>
      document.getElementById(tab.getAttribute("aria-controls")));
    this.buttons.forEach((tab, i) => {
      tab.addEventListener("click", () => this.show(i));
      tab.addEventListener("keydown", (event) => this.key(event, i));
    });
    list.hidden = false;
    const named = this.panels.findIndex((panel) => `#${panel.id}` === location.hash);
    this.show(Math.max(named, 0));
  }

  key(event, i) {
    const last = this.buttons.length - 1;
    const to = {
      ArrowLeft: i ? i - 1 : last, ArrowRight: i < last ? i + 1 : 0, Home: 0, End: last,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.show(to);
    this.buttons[to].focus();
  }

  show(chosen) {
    this.buttons.forEach((tab, i) => {
      tab.setAttribute("aria-selected", i === chosen);
      tab.tabIndex = i === chosen ? 0 : -1;
      this.panels[i].hidden = i !== chosen;
    });
  }
}

document.querySelectorAll("[role=tablist]").forEach((list) => new Tabs(list));
