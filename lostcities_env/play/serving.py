"""Runs the server on the loopback interface until it is interrupted."""

import errno
import socket
import threading
from collections.abc import Callable

import uvicorn
from starlette.types import ASGIApp

HOST = "127.0.0.1"
DEFAULT_PORT = 8642
_GRACE = 1  # seconds that a request has to finish after the interrupt


class PortError(OSError):
    """The port cannot be used; the message says why and what would do."""


def listen(port: int | None) -> socket.socket:
    """A socket that nothing but this machine can reach.

    Args:
        port: 0 for any free one; None for `DEFAULT_PORT`, or any free one if that is in use.

    Raises:
        PortError: if the port is in use, or not for this user.
    """
    try:
        return _bound(DEFAULT_PORT if port is None else port)
    except OSError as error:
        if port is None and error.errno == errno.EADDRINUSE:
            return _bound(0)
        reason = "is in use" if error.errno == errno.EADDRINUSE else f"cannot be used ({error.strerror})"
        raise PortError(f"port {port} {reason}; take another one, or 0 for any that is free") from error


def _bound(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
        listener.listen()
    except OSError:
        listener.close()
        raise
    return listener


def new_server(app: ASGIApp) -> uvicorn.Server:
    """The server of an application, quiet, and quick to end."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            loop="asyncio",
            http="h11",
            ws="none",
            lifespan="off",
            log_level="critical",  # `server` reports what fails; an interrupted answer is no failure
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=_GRACE,
        )
    )


def serve(app: ASGIApp, listener: socket.socket, meanwhile: Callable[[], object]) -> None:
    """Serves until an interrupt, which ends it without an error.

    Args:
        app: what to serve.
        listener: from `listen`; closed at the end.
        meanwhile: called in a thread of its own at the beginning.
    """
    threading.Thread(target=meanwhile, daemon=True).start()
    try:
        new_server(app).run(sockets=[listener])
    except KeyboardInterrupt:
        pass
    finally:
        listener.close()
