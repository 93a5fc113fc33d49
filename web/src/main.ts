// Starts the page with the runs that it carries, or over a server's store where it carries `null` in their place.

import "uplot/dist/uPlot.min.css";
import "./style.css";
import { Page } from "./page.ts";
import { App } from "./served/app.ts";
import { EmbeddedSource } from "./source.ts";

const root = document.getElementById("page");
if (root) {
  document.documentElement.dataset["theme"] = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  if (document.getElementById("weir-runs")?.textContent === "null") new App(root).start();
  else {
    const page = new Page(root);
    new EmbeddedSource().start((runs) => page.show(runs), (why) => page.fail(why));
  }
}
