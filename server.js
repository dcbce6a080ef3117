// opencode 2.x looks here when a plugin is named by the folder of a checkout; `npm run build` makes what it exports.
export { default } from "./dist/plugin.js";
