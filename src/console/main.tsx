/** The console: starts the program of the page. */
import { render } from "preact";
import { Console } from "./app.js";
import { followLinks } from "./lib/location.js";
import "./styles/main.css";

const root = document.getElementById("console");
if (root !== null) {
  followLinks();
  render(<Console />, root);
}
