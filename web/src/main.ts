// Starts the page with the runs that it carries.

import "uplot/dist/uPlot.min.css";
import "./style.css";
import { Page } from "./page.ts";
import { EmbeddedSource } from "./source.ts";

const root = document.getElementById("page");
if (root) {
  document.documentElement.dataset["theme"] = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const page = new Page(root);
  new EmbeddedSource().start((runs) => page.show(runs), (why) => page.fail(why));
}
