/** Setup for tests of the timeline: one session, its places, and a timeline that has received the first records. */
import assert from "node:assert/strict";
import { event, message, status, userText } from "./host-steps.ts";
import { TimelineDriver } from "./timeline-driver.ts";

export const sessionID = "ses_1";
export const LS = { command: "ls" };
export const IDLE = [status(sessionID, "idle"), event("session.idle", { sessionID })];

export const at = (id: string, messageID = "msg_2") => ({ sessionID, messageID, id });
export const bash = (id: string, callID = `call_${id}`) => ({ ...at(id), callID, tool: "bash" });
export const command = (text: string) => ({ command: text });

/** In the middle of a turn: the prompt is written, the assistant's message has begun. */
export function inTurn(): TimelineDriver {
  return new TimelineDriver(sessionID).does(
    message(sessionID, "msg_1", "user"),
    userText(at("prt_01", "msg_1"), "Go."),
    status(sessionID, "busy"),
    message(sessionID, "msg_2", "assistant"),
  );
}

/** The same, told by a host that tells of parts, too, with nothing of it among the entries. */
export function started(): TimelineDriver {
  const driver = new TimelineDriver(sessionID).does(
    message(sessionID, "msg_1", "user"),
    userText(at("prt_01", "msg_1"), "Go."),
    message(sessionID, "msg_2", "assistant"),
  );
  driver.entries.length = 0;
  return driver;
}

/** The driver, once everything that the timeline waits for has run out. */
export function settled(driver: TimelineDriver): TimelineDriver {
  driver.wait(120_000);
  assert.equal(driver.timeline.hasOpen, false, "nothing is kept");
  assert.equal(driver.timeline.nextDueMs(), undefined, "nothing is due");
  return driver;
}
