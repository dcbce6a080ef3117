/** Worker thread of `overSessions`. */
import type { SessionRef } from "../places/session-ref.ts";
import { figuresOf } from "../sessions/read-figures.ts";
import { serveTasks } from "../worker-thread.ts";

serveTasks((ref: SessionRef) => figuresOf(ref));
