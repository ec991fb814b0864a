"""Parts of paths that a client may send."""

from urllib.parse import quote as percent_encode


def quote(part: str, safe: str = "") -> str:
    """The part of a path as the URL has it, with the signature of the standard library, because generated code calls it.

    Raises:
        ValueError: the part is empty, "." or "..". The URL would then be that of another operation, which may be a list
            or the parent of the record.
    """
    if part in ("", ".", ".."):
        raise ValueError(f"found {part!r} as a part of a path; give an id or a name that is neither empty nor '.' nor '..'")
    return percent_encode(part, safe=safe)
