"""What a skill gives: what the user says, a one-line thought, the reply, and now and then messages before."""


def sample(user, thought, reply, **more):
    return {"user": user, "thought": thought, "reply": reply, **more}
