/**
 * Ways of speaking that tell a diagnosis, a decision or a lesson, in English. They are general words of reasoning and no
 * words of any trade, and none of them is enough alone: see the files that use them.
 */

/** Any of these wordings, whole words, in any case. */
function anyOf(wordings: readonly string[]): RegExp {
  return new RegExp(String.raw`\b(?:${wordings.join("|")})(?!\w)`, "gi");
}

/** Someone has found out why. */
export const CAUSE = anyOf([
  String.raw`root cause`,
  String.raw`(?:the|a) (?:real|actual|underlying|likely|main|core)?\s?(?:cause|culprit|reason|problem|issue|bug|mistake) (?:is|was|here is|turned out|lies)`,
  String.raw`caused by`,
  String.raw`(?:is|was|are|were|fails?|failed|happens?|happened|breaks?|broke|works?|worked) because`,
  String.raw`because of`,
  String.raw`i see the (?:issue|problem|bug)`,
  String.raw`found (?:the|it)\b`,
  String.raw`turns out`,
  String.raw`it (?:doesn't|does not|didn't|did not|never) \w+ (?:because|since)`,
  String.raw`due to`,
  String.raw`stems from`,
  String.raw`never \w+ed`,
  String.raw`returns? early`,
  String.raw`early return`,
  String.raw`leads? to`,
  String.raw`results? in`,
  String.raw`(?:will|would|may|can|could|this|that|which) causes?`,
  String.raw`(?:can|could|may|might|will|would) (?:lose|leak|drop|fail|hang|crash|break|race|overwrite|block|expose|silently \w+)`,
  String.raw`(?:does|did)(?: not|n['’]t) (?:recogni[sz]e|persist|know|see|exist|match|include|cover|handle|support)`,
  String.raw`(?:is|are|was|were) (?:looking|expecting|reading|using|passing|checking) [^.\n]{2,60}, not`,
  String.raw`(?:expects?|passes|reads?|looks? for|checks?) [^.\n]{2,60}(?:, not|\bbut\b|instead of)`,
]);

/** Someone tells of a fault. */
export const PROBLEM = anyOf([
  String.raw`bugs?`,
  String.raw`errors?`,
  String.raw`issues?`,
  String.raw`fail(?:s|ed|ing|ures?)?`,
  String.raw`broken?`,
  String.raw`breaks?`,
  String.raw`wrong(?:ly)?`,
  String.raw`incorrect(?:ly)?`,
  String.raw`crash(?:es|ed|ing)?`,
  String.raw`leaks?`,
  String.raw`(?:does|do|did|is|was|will|can)(?: not|n['’]?t)`,
  String.raw`not working`,
  String.raw`never`,
  String.raw`silently`,
  String.raw`missing`,
  String.raw`unexpected(?:ly)?`,
  String.raw`stuck`,
  String.raw`hangs?`,
  String.raw`problems?`,
  String.raw`regression`,
  String.raw`race`,
  String.raw`overflow`,
  String.raw`lacks?`,
  String.raw`confus(?:es|ed|ing)`,
  String.raw`inconsistent(?:ly)?`,
  String.raw`stale`,
  String.raw`unused`,
  String.raw`too (?:slow|long|short|late|early|many|much|small|large)`,
  String.raw`should`,
  String.raw`instead of`,
  String.raw`still`,
]);

/** A person wants something made. */
export const REQUEST =
  /^(?:please |can you |could you |now |ok,? |let['’]s |we need to |i want(?: you)? to )*(?:add|implement|create|write|build|make|refactor|update|rename|move|extract|introduce|support|generate|set up)\b/i;

/** What is done about it. */
export const REMEDY = anyOf([
  String.raw`fix(?:es|ed|ing)?`,
  String.raw`solution`,
  String.raw`resolv(?:e|es|ed|ing)`,
  String.raw`work(?:s|ed)? ?around`,
  String.raw`repair(?:s|ed)?`,
  String.raw`(?:now|which) (?:works|passes|handles|returns|uses)`,
  String.raw`so (?:that )?(?:it|we|the) now`,
  String.raw`add(?:s|ed|ing)? (?:a|an|the)`,
  String.raw`chang(?:e|es|ed|ing) (?:it|the|to)`,
  String.raw`consider (?:adding|removing|using|making|moving|returning|checking|\w+ing)`,
  String.raw`need to (?:add|remove|change|use|replace|pass|update|set)`,
  String.raw`let me (?:add|remove|change|replace|update|fix)`,
  String.raw`replac(?:e|es|ed|ing)`,
  String.raw`instead of`,
]);

/** One thing was taken and another left. */
export const CHOICE = anyOf([
  String.raw`decid(?:e|es|ed)`,
  String.raw`decisions?`,
  String.raw`chose`,
  String.raw`chosen`,
  String.raw`choosing`,
  String.raw`opt(?:s|ed|ing)? for`,
  String.raw`went with`,
  String.raw`go(?:ing)? with`,
  String.raw`settled on`,
  String.raw`recommend(?:s|ed|ation)?`,
  String.raw`prefer(?:red|able)?`,
  String.raw`instead of`,
  String.raw`rather than`,
  String.raw`in favou?r of`,
  String.raw`on purpose`,
  String.raw`deliberate(?:ly)?`,
  String.raw`intentional(?:ly)?`,
  String.raw`left (?:out|untouched|as is)`,
  String.raw`not worth`,
  String.raw`worth (?:doing|fixing|closing|it)`,
  String.raw`right (?:call|choice|place|approach|source of truth)`,
  String.raw`best (?:option|choice|approach)`,
  String.raw`i['’]d (?:fix|keep|do|skip|leave|take|add|not|use|go)`,
  String.raw`should(?:n['’]t| not) (?:be|pass|expose|use)`,
  String.raw`verdict`,
  String.raw`bottom line`,
]);

/** A choice and its reason in one sentence. */
export const STATED_CHOICE =
  /\bi (?:added|kept|used|left|put|moved|made|chose|skipped|removed|did not|didn['’]t|avoided) [^.\n]{5,160}\b(?:since|because|so that|to (?:avoid|prevent|keep|stay))\b/i;

/** What speaks for it. */
export const REASON = anyOf([
  String.raw`because`,
  String.raw`since (?!then|the last)`,
  String.raw`so that`,
  String.raw`which means`,
  String.raw`that means`,
  String.raw`meaning`,
  String.raw`the reason`,
  String.raw`therefore`,
  String.raw`otherwise`,
  String.raw`in order to`,
  String.raw`avoids?`,
  String.raw`prevents?`,
  String.raw`guarantees?`,
  String.raw`ensures?`,
  String.raw`simpler`,
  String.raw`safer`,
  String.raw`cheaper`,
  String.raw`to (?:prevent|avoid)`,
  String.raw`needs? to be`,
  String.raw`would (?:break|leak|need|require|cause|be)`,
  String.raw`can['’]t`,
  String.raw`cannot`,
  String.raw`why`,
]);

/** Something was weighed against it. */
export const WEIGHED = anyOf([
  String.raw`trade-?offs?`,
  String.raw`alternatives?`,
  String.raw`options?`,
  String.raw`pros`,
  String.raw`cons`,
  String.raw`downsides?`,
  String.raw`drawbacks?`,
  String.raw`advantages?`,
  String.raw`versus`,
  String.raw`vs\.?`,
  String.raw`on the other hand`,
  String.raw`however`,
  String.raw`but`,
  String.raw`though`,
  String.raw`overstat(?:es|ed)`,
  String.raw`severity`,
  String.raw`low(?:est)?[- ]risk`,
  String.raw`high(?:est)?[- ]value`,
  String.raw`nice-to-have`,
  String.raw`costs?`,
  String.raw`two (?:ways|positions|approaches)`,
  String.raw`three (?:ways|positions|approaches)`,
  String.raw`in practice`,
  String.raw`real(?:istic)?`,
]);

/** A heading under which reasons stand. */
export const RATIONALE_HEADING =
  /^[ \t]*(?:#{1,6}[ \t]*|\*\*[ \t]*)(?:\d+[.)]\s*)?(?:(?:key |design |main )?decisions?\b|rationale|why\b|trade-?offs?|alternatives?|bottom line|recommendation|verdict)[^\n]{0,60}$/gim;

/** It holds beyond this task. */
export const LESSON = anyOf([
  String.raw`lessons? (?:learned|here)`,
  String.raw`key (?:insight|lesson|takeaway|finding)`,
  String.raw`takeaway`,
  String.raw`in general`,
  String.raw`as a rule`,
  String.raw`rule of thumb`,
  String.raw`whenever`,
  String.raw`every time`,
  String.raw`going forward`,
  String.raw`the (?:trick|key) is`,
  String.raw`worth remembering`,
  String.raw`note for (?:next|future)`,
  String.raw`gotcha`,
  String.raw`pitfall`,
  String.raw`best practice`,
  String.raw`each (?:command|call|request|session) (?:runs|gets|starts|has)`,
  String.raw`must (?:always|never)`,
  String.raw`should (?:always|never)`,
  String.raw`(?:does|did)(?: not|n['’]t) (?:persist|outlive|survive|carry over)`,
  String.raw`normal behaviou?r`,
  String.raw`by (?:design|convention)`,
]);

/** A person tells how things are to be done from now on, at the beginning of a sentence or of its main clause. */
export const STANDING_RULE = new RegExp(
  [
    String.raw`(?:^|[.!?\n][ \t]*|\b(?:please|you (?:should|must)|we (?:should|must))\s+)(?:(?:always|never)\s+[a-z]+|(?:do not|don['’]?t)\s+ever)\b`,
    String.raw`from now on\b`,
    String.raw`in (?:the )?future\b`,
    String.raw`going forward\b`,
    String.raw`next time\b`,
    String.raw`remember (?:to|that)\b`,
    String.raw`make sure (?:to always|you always|that you always|to never)`,
    String.raw`(?:i|we) (?:always|never|usually|typically|prefer|want you to always)\b`,
    String.raw`(?:you|it) (?:must|should) (?:always|never)\b`,
    String.raw`(?:our|my) (?:convention|rule|policy|style|standard)\b`,
    String.raw`(?:we|i) (?:name|call|use|keep|put|store) \w+ .{3,60}\b(?:because|since|so that|with the same)\b`,
  ].join("|"),
  "i",
);

/** A person corrects what was done. */
export const CORRECTION =
  /^(?:no[,.!: ]|nope|wrong|that['’]?s (?:not|wrong)|not (?:quite|what|like)|actually[, ]|stop\b|you (?:should(?:n['’]?t)?|forgot|missed|misunderstood|didn['’]?t|are wrong)|instead[, ]|why (?:did|are|do) you)/i;

/** How often a way of speaking comes up, each wording once. */
export function cuesIn(text: string, cue: RegExp): string[] {
  return [...new Set((text.match(cue) ?? []).map((found) => found.toLowerCase().replaceAll(/\s+/g, " ").trim()))];
}
