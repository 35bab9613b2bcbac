"""What stands between the network and the server of the page.

The server listens on the loopback interface alone. Pages of other sites that are open in the same browser can
still send it requests; those are refused here: by their ``Host`` (a name of another site that was pointed at
this machine), by their ``Origin`` and by ``Sec-Fetch-Site``. No answer allows another origin to read it.
"""

from collections.abc import Iterable

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

API = "/api/"
SECURITY_HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)


class Guard:
    """Refuses requests that do not come from the page itself; adds headers to every answer.

    Args:
        app: what answers the others.
        port: where the server listens.
    """

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app = app
        self._hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}
        if port == 80:
            self._hosts |= {"127.0.0.1", "localhost"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers, or lets the application answer."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *SECURITY_HEADERS]
            await send(message)

        refusal = self._refusal(scope) if scope["type"] == "http" else None
        await (refusal or self._app)(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        headers = scope["headers"]
        hosts = _values(headers, b"host")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            named = " and ".join(map(repr, hosts)) or "no host"
            allowed = " or ".join(sorted(self._hosts))
            return _refuse(421, f"this server is {allowed}; the request was for {named}")
        origins = _values(headers, b"origin")
        if any(origin not in {f"http://{host}" for host in self._hosts} for origin in origins):
            return _refuse(403, "requests from other pages are refused")
        sites = _values(headers, b"sec-fetch-site")
        if scope["path"].startswith(API) and not set(sites) <= {"same-origin", "none"}:
            return _refuse(403, "requests from other sites are refused")
        return None


def _values(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in headers if key == name]


def _refuse(status: int, message: str) -> JSONResponse:
    return JSONResponse({"error": message}, status)
