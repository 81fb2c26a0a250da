"""What a skill gives: what the user says, a one-line thought, the reply, and now and then messages before."""


def sample(user, thought, reply, **more):
    return {"user": user, "thought": thought, "reply": reply, **more}


def with_turns(turns, thought):
    """The last of (user, reply) pairs as a sample; the replies before it are trained on, too."""
    history = []
    for user, reply in turns[:-1]:
        history += [{"role": "user", "content": user}, {"role": "assistant", "content": reply, "trained": True}]
    return sample(turns[-1][0], thought, turns[-1][1], history=history)
