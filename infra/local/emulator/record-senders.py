"""Makes MiniStack record who has sent a message, as SQS does (SQS API Reference, ReceiveMessage, SenderId): the unique ID
of a user, or that of a role with the name of the session. Unchanged it records the number of the account, so that nobody
can be told from anybody else.

    record-senders.py FOLDER      the installed package: changed in place. Fails when it is not the version it is made for.
"""

import pathlib
import sys

CHANGES = {
    "core/responses.py": [
        (
            "_12_DIGIT_RE = re.compile",
            "request_access_key: contextvars.ContextVar[str] = contextvars.ContextVar(\n"
            '    "request_access_key", default="")\n\n'
            "_12_DIGIT_RE = re.compile",
        ),
        (
            "def set_request_account_id(access_key_id: str) -> None:\n",
            "def sender_id() -> str:\n"
            '    """Who sends, as SQS records him."""\n'
            "    from ministack.core.iam_evaluator import resolve_caller_identity\n"
            "    identity = resolve_caller_identity(request_access_key.get()) or {}\n"
            '    return identity.get("userId") or get_account_id()\n\n\n'
            "def set_request_account_id(access_key_id: str) -> None:\n",
        ),
    ],
    "app.py": [
        (
            "    _access_key = extract_access_key_id(headers, query_params)\n    if _access_key:\n        try:\n",
            "    _access_key = extract_access_key_id(headers, query_params)\n"
            "    from ministack.core.responses import request_access_key\n"
            '    request_access_key.set(_access_key or "")\n'
            "    if _access_key:\n        try:\n",
        )
    ],
    "services/sqs.py": [
        (
            '    sys: dict = {\n        "SenderId": get_account_id(),\n',
            "    from ministack.core.responses import sender_id\n"
            '    sys: dict = {\n        "SenderId": sender_id(),\n',
        )
    ],
    "core/lambda_runtime.py": [
        (
            '        "UserId": f"{role_name}:{session_name}",\n',
            '        "UserId": f"{role_id}:{session_name}",\n',
        ),
        (
            "    from ministack.services import sts as sts_svc\n\n    sts_svc.register_session(",
            "    from ministack.services import iam as iam_svc\n"
            "    from ministack.services import sts as sts_svc\n\n"
            '    role = iam_svc._roles.get_scoped(account_id, None, role_name) or {}\n'
            '    role_id = role.get("RoleId", role_name)\n'
            "    sts_svc.register_session(",
        ),
    ],
    "services/lambda_svc.py": [
        (
            '                    "SenderId": get_account_id(),\n                    "ApproximateFirstReceiveTimestamp"',
            '                    "SenderId": (msg.get("sys") or {}).get("SenderId", get_account_id()),\n'
            '                    "ApproximateFirstReceiveTimestamp"',
        )
    ],
}


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    for name, changes in CHANGES.items():
        path = folder / name
        text = path.read_text()
        for before, after in changes:
            if text.count(before) != 1:
                sys.exit(f"record-senders.py: {name} is another than expected: {before.strip()!r}")
            text = text.replace(before, after)
        path.write_text(text)


main()
