import { call, text } from "../../support/host/model-script.ts";
import type { Scenario } from "../../support/host/scenario.ts";

const options = ["Red", "Blue"].map((label) => ({ label, description: label }));

/** A question that the user answers, and one that the user dismisses. */
export const scenario: Scenario = {
  name: "question",
  scripts: {
    question: [[call("question", { questions: [{ question: "Which?", header: "Which", options }] })], [text("Blue.")]],
  },
  async drive({ client }) {
    const session = await client.createSession();
    const answered = client.prompt(session.id, "scenario:question please");
    await client.replyQuestion(await client.pendingQuestion(session.id), [["Blue"]]);
    await answered;
    const dismissed = client.prompt(session.id, "scenario:question please");
    await client.rejectQuestion(await client.pendingQuestion(session.id));
    await dismissed;
    return [session.id];
  },
};
