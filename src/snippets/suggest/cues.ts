/**
 * Ways of speaking that tell a diagnosis, a decision or a lesson, in English. They are general words of reasoning and no
 * words of any trade, and none of them is enough alone: see the files that use them.
 */

/** Someone has found out why. */
export const CAUSE =
  /\b(?:root cause|(?:the|a) (?:real|actual|underlying|likely|main|core)?\s?(?:cause|culprit|reason|problem|issue|bug|mistake) (?:is|was|here is|turned out|lies)|caused by|(?:is|was|are|were|fails?|failed|happens?|happened|breaks?|broke|works?|worked) because|because of|i see the (?:issue|problem|bug)|found (?:the|it)\b|turns out|it (?:doesn't|does not|didn't|did not|never) \w+ (?:because|since)|due to|stems from|never (?:reached|called|executed|set|runs?|fires?|exercised)|leads? to|results? in)\b/gi;

/** What is done about it. */
export const REMEDY =
  /\b(?:fix(?:es|ed|ing)?|solution|resolv(?:e|es|ed|ing)|work(?:s|ed)? ?around|repair(?:s|ed)?|(?:now|which) (?:works|passes|handles|returns|uses)|so (?:that )?(?:it|we|the) now|add(?:s|ed|ing)? (?:a|an|the)|chang(?:e|es|ed|ing) (?:it|the|to)|replac(?:e|es|ed|ing)|instead of)\b/gi;

/** One thing was taken and another left. */
export const CHOICE =
  /\b(?:decid(?:e|es|ed)|decisions?|chose|chosen|choosing|opt(?:s|ed|ing)? for|went with|go(?:ing)? with|settled on|recommend(?:s|ed|ation)?|prefer(?:red|able)?|instead of|rather than|in favou?r of|on purpose|deliberate(?:ly)?|intentional(?:ly)?|left (?:out|untouched|as is)|not worth|worth (?:doing|fixing|closing|it)|right (?:call|choice|place|approach|source of truth)|best (?:option|choice|approach)|i['’]d (?:fix|keep|do|skip|leave|take|add|not|use|go)|should(?:n['’]t| not) (?:be|pass|expose|use)|verdict|bottom line)\b/gi;

/** What speaks for it. */
export const REASON =
  /\b(?:because|since (?!then|the last)|so that|which means|that means|meaning|the reason|therefore|otherwise|in order to|avoids?|prevents?|guarantees?|ensures?|simpler|safer|cheaper|would (?:break|leak|need|require|cause|be)|can['’]t|cannot|why)\b/gi;

/** Something was weighed against it. */
export const WEIGHED =
  /\b(?:trade-?offs?|alternatives?|options?|pros|cons|downsides?|drawbacks?|advantages?|versus|vs\.?|on the other hand|however|but|though|overstat(?:es|ed)|severity|low(?:est)?[- ]risk|high(?:est)?[- ]value|nice-to-have|costs?|two (?:ways|positions|approaches)|three (?:ways|positions|approaches)|in practice|real(?:istic)?)\b/gi;

/** A heading under which reasons stand. */
export const RATIONALE_HEADING =
  /^\s*(?:#{1,6}\s*|\*\*\s*)(?:\d+[.)]\s*)?(?:(?:key |design |main )?decisions?\b|rationale|why\b|trade-?offs?|alternatives?|bottom line|recommendation|verdict)[^\n]{0,60}$/gim;

/** It holds beyond this task. */
export const LESSON =
  /\b(?:lessons? (?:learned|here)|key (?:insight|lesson|takeaway|finding)|takeaway|in general|as a rule|rule of thumb|whenever|every time|going forward|the (?:trick|key) is|worth remembering|note for (?:next|future)|gotcha|pitfall|best practice|(?:doesn|does no)['’]?t (?:persist|outlive|survive)|each (?:command|call|request|session) (?:runs|gets|starts|has)|must (?:always|never)|should (?:always|never)|by (?:design|convention)|always \w+s)\b/gi;

/** Boxes in which some hosts let the model explain what it does. */
export const INSIGHT_BOX = /★\s*Insight/;

/** A person tells how things are to be done from now on, at the beginning of a sentence or of its main clause. */
export const STANDING_RULE =
  /(?:^|[.!?,;:\n]\s*|\b(?:please|and|but|so|also|then)\s+)(?:(?:always|never)\s+\w+|(?:do not|don['’]?t)\s+(?:ever|use|add|create|commit|push|write|name|run|touch|put|include|call|mock|skip|assume|change)\b|from now on\b|in (?:the )?future\b|going forward\b|next time\b|remember (?:to|that)\b|make sure (?:to always|you always|that you always|to never)|(?:i|we) (?:always|never|usually|typically|prefer|want you to always)\b|(?:you|it) (?:must|should) (?:always|never)\b|(?:our|my) (?:convention|rule|policy|style|standard)\b|(?:we|i) (?:name|call|use|keep|put|store) \w+ .{3,60}\b(?:because|since|so that|with the same)\b)/i;

/** A person corrects what was done. */
export const CORRECTION =
  /^(?:no[,.!: ]|nope|wrong|that['’]?s (?:not|wrong)|not (?:quite|what|like)|actually[, ]|stop\b|you (?:should(?:n['’]?t)?|forgot|missed|misunderstood|didn['’]?t|are wrong)|instead[, ]|why (?:did|are|do) you)/i;

/** How often a way of speaking comes up, each wording once. */
export function cuesIn(text: string, cue: RegExp): string[] {
  return [...new Set((text.match(cue) ?? []).map((found) => found.toLowerCase().replaceAll(/\s+/g, " ").trim()))];
}
