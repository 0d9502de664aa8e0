// The web console of a coordinator.

import { render } from "preact";
import { App } from "./app";
import { lang } from "./text";

document.documentElement.lang = lang === "zh" ? "zh-CN" : "en";
render(<App />, document.getElementById("app") as HTMLElement);
