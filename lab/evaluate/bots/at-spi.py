"""What an agent by the accessibility tree does: finds things by role and name on the accessibility bus, and acts on them.

Reads lines of JSON from standard input ({"role": …, "name": …, "text": …} or the same without "text", which presses), and answers
each with a line: "done", or what went wrong.
"""
import json
import sys
import time

import pyatspi


def found(node, role, name, depth=0):
    """The first part below this one that has the role, and a name that begins so."""
    if node is None or depth > 40:
        return None
    try:
        if node.getRoleName() == role and (node.name or "").startswith(name):
            return node
        for child in node:
            part = found(child, role, name, depth + 1)
            if part:
                return part
    except Exception:  # a part that has gone meanwhile
        return None
    return None


def anywhere(role, name, patience=20):
    """The same in all programs of the display; a page needs a moment until its tree is there."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        for program in pyatspi.Registry.getDesktop(0):
            part = found(program, role, name)
            if part:
                return part
        time.sleep(0.3)
    raise LookupError(f"no {role} named {name}")


def act(order):
    part = anywhere(order["role"], order["name"])
    if "text" in order:
        part.queryComponent().grabFocus()
        # Chromium offers no EditableText; the registry presses keys instead.
        pyatspi.Registry.generateKeyboardEvent(0, order["text"], pyatspi.KEY_STRING)
    else:
        part.queryAction().doAction(0)
    return "done"


for line in sys.stdin:
    try:
        answer = act(json.loads(line))
    except Exception as problem:
        answer = f"{type(problem).__name__}: {problem}"
    print(answer.replace("\n", " "), flush=True)
