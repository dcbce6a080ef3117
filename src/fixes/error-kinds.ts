/** Kinds of errors, which determine what can have fixed them. */

/** Matches errors that nothing in the call or the code brought about: what runs it failed, or somebody else was in the way. */
export const PASSING =
  /^(?:<tool_use_error>)?Command failed: cygpath|temporarily unavailable|overloaded_error|\bOverloaded\b/i;
/** Matches errors of the surroundings, which no edit of the code mends. */
export const ENVIRONMENT =
  /unsupported (?:environment|engine)|command not found|ECONNREFUSED|connection refused|cannot connect to|permission denied|EACCES|ENOSPC|no space left|index\.lock|rate limit|not logged in|authentication failed|unauthorized|bad credentials|no upstream branch|fetch first|non-fast-forward|rule violations|no configured push destination|not a git repository/i;

/** Matches the refusal of an edit of a file that was not read, or changed since. */
export const UNREAD =
  /not been read|(?:must|should|need to) (?:first )?(?:be )?read|read (?:it|the file) (?:first|again)|modified since/i;

/** Matches errors of a call in the wrong folder. */
export const ELSEWHERE = /not a git repository|no such file|does not exist|not found|cannot find|outside (?:of )?the/i;

/** Matches the report of a linter that can mend a part of what it found itself. */
export const FIXABLE = /\bformatter\b|\bfixable\b|--fix\b/i;

/** Kinds of errors, with the commands that do something about them. */
export const REMEDIES: readonly (readonly [error: RegExp, command: RegExp])[] = [
  [
    /not found|no such|cannot find|could ?n[o']t (?:find|resolve|be found)|ENOENT|no module named|missing|not installed|unresolved|unable to (?:find|resolve)|not in your go\.mod|no required module/i,
    /^install packages|^(?:pip3?|apt|apt-get|brew|gem|apk|dnf|yum|conda) .*\binstall\b|^(?:cargo|uv|go|composer|poetry|dotnet) .*\b(?:add|get|tidy|sync|install|restore|fetch)\b|^(?:bundle|corepack|mise|nvm|rustup|asdf)\b|\b(?:build|generate|codegen|compile|prepare|setup|migrate)\b|^(?:mkdir|touch|ln)\b/i,
  ],
  [
    /ECONNREFUSED|connection refused|(?:cannot|could not|failed to) connect|not running|is the .* running/i,
    /\b(?:up|start|restart|serve|daemon|port-forward)\b|^(?:dockerd|redis-server|postgres|mysqld|ssh .*-\w*L)\b/i,
  ],
  [/does not exist|no such file/i, /^git (?:checkout|switch|pull|restore|stash (?:pop|apply))\b/],
  [/EADDRINUSE|address already in use|port .* in use/i, /^(?:kill|pkill|killall|fuser|lsof)\b|\b(?:stop|down)\b/i],
  [/permission denied|EACCES|not executable/i, /^(?:chmod|chown|sudo)\b/i],
  [
    /prettier|gofmt|format|lint|style|fmt\b|\bfix(?:able|ed with)\b/i,
    /(?:^| )(?:--fix|--write|-w|fmt|format|(?:\S*:)?(?:fmt|format|fix))(?: |$)/i,
  ],
  [/gpg|to sign\b|sign the data|tell me who you are|ident name/i, /^(?:git config|gpg|gpgconf|ssh-add)\b/i],
  [
    /conflict|unmerged|diverged|rejected|non-fast-forward|fetch first|would be overwritten|unstaged/i,
    /^git (?:pull|fetch|rebase|merge|add|stash|checkout|restore|commit|reset)\b/,
  ],
];

/** Matches the refusal of an input, whose remarks may be demanded. */
export const MALFORMED =
  /invalid arguments|InputValidationError|SchemaError|missing (?:key|required)|required parameter/i;
export const REFUSAL =
  /unknown|unrecognized|unsupported|invalid|unexpected|no such|not found|(?:does|did)(?: not|n't) exist|not (?:a )?valid/i;
