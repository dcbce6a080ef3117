/** Built-in slash commands, which configure the program and do not describe a session. */
const BUILT_IN: ReadonlySet<string> = new Set(
  (
    "add-dir agents bug clear color compact config context continue copy cost doctor effort exit export extra-usage " +
    "fast feedback fork help hooks ide install-github-app install-slack-app keybindings login logout mcp memory " +
    "mobile model models new output-style passes permissions plugin plugins privacy-settings quit " +
    "rate-limit-options release-notes reload-plugins rename reset resume rewind sandbox session sessions settings " +
    "share skills stats status statusline stickers tasks terminal-setup theme themes todos undo unshare upgrade " +
    "usage vim"
  ).split(" "),
);

/** Returns whether a typed command, such as `/model opus`, is built in. */
export function isBuiltInCommand(command: string): boolean {
  const [, name = ""] = /^\/(\S+)/.exec(command) ?? [];
  return BUILT_IN.has(name);
}
