/** The process of the engines that misbehave: sends where they listen. */
import { listenAsEngines } from "./hostile-engine.js";

process.send?.(await listenAsEngines());
