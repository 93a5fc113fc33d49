// Starts the page with the runs or the search that it carries, or over a server's store where it carries `null` in their place.

import "uplot/dist/uPlot.min.css";
import "./style.css";
import { Page } from "./page.ts";
import { SearchPage } from "./search/page.ts";
import { searchIn } from "./search/record.ts";
import { App } from "./served/app.ts";
import { EmbeddedSource } from "./source.ts";

const root = document.getElementById("page");
if (root) {
  document.documentElement.dataset["theme"] = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const carried = document.getElementById("weir-runs")?.textContent ?? "";
  const search = searchIn(carried);
  if (carried === "null") new App(root).start();
  else if (search) new SearchPage(root, search).show();
  else {
    const page = new Page(root);
    new EmbeddedSource().start((runs) => page.show(runs), (why) => page.fail(why));
  }
}
