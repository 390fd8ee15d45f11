"""One sandbox child, seen from the worker: start it, ask it, replace it when it dies."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress
from pathlib import Path

from evaluation.engine.types import JSON
from evaluation.sandbox import frames

ROOT = Path(__file__).resolve().parent.parent.parent
COUNTER_BYTES = 8
WALL_PER_CALL = 10.0  # seconds a call may take before its child is killed
PATIENCE = (
    6  # times as long may pass while no call is under way: a child starts, imports, compares
)

# Nothing of the worker's environment reaches the child: no key, no database address. The rest
# makes a reply the same on every machine.
ENVIRONMENT = {
    "LC_ALL": "C.UTF-8",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TZ": "UTC",
}
COMMAND = (
    "import sys; sys.path[:0] = [sys.argv[1]]; "
    "from evaluation.sandbox.child import main; main(int(sys.argv[2]))"
)


class SandboxBroken(Exception):
    """The sandbox itself failed: our own fault, never a model's."""


class ChildDied(Exception):
    """The child had to be killed, or was. `number` is the call under way, -1 for none."""

    def __init__(self, number: int) -> None:
        super().__init__(f"the sandbox child died during call {number}")
        self.number = number


class ChildProcess:
    """A child and its pipes. Messages go one at a time; a dead child is replaced unasked.

    `generation` counts the processes so far: what was kept in an earlier one is gone.
    """

    def __init__(self, wall: float = WALL_PER_CALL) -> None:
        self.wall = wall
        self.generation = 0
        self.load = 0  # sessions open here
        self.lock = asyncio.Lock()
        self._process: Process | None = None
        self._counter = tempfile.TemporaryFile()  # noqa: SIM115 - closed in close()
        self._counter.truncate(COUNTER_BYTES)

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def start(self) -> Process:
        """The running process, a new one if there is none."""
        if self._process is None or not self.is_running:
            number = self._counter.fileno()
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-s", "-B", "-c", COMMAND, str(ROOT), str(number)),
                stdin=PIPE,
                stdout=PIPE,
                stderr=DEVNULL,
                env=ENVIRONMENT,
                cwd="/",
                pass_fds=(number,),
            )
            self.generation += 1
        return self._process

    async def ask(self, message: JSON) -> JSON:
        """The child's answer to one message; the caller holds `lock`.

        Raises ChildDied, and SandboxBroken when the child reports an error of ours.
        """
        frame = frames.pack(message)
        process = await self.start()
        try:
            answer = json.loads(await self._exchange(process, frame))
        except (EOFError, ConnectionError, TimeoutError) as error:
            number = self._number()
            await self.kill()
            raise ChildDied(number) from error
        except BaseException:  # cancelled half-way: the pipe is of no more use
            await self.kill()
            raise
        if "error" in answer:
            raise SandboxBroken(answer["error"])
        return answer["value"]

    async def _exchange(self, process: Process, frame: bytes) -> bytes:
        if process.stdin is None or process.stdout is None:  # both are pipes, see start()
            raise EOFError
        process.stdin.write(frame)
        reading = asyncio.ensure_future(_read_frame(process.stdout))
        try:
            await process.stdin.drain()
            await self._watch(reading)
            return reading.result()
        finally:
            reading.cancel()

    async def _watch(self, reading: asyncio.Future[bytes]) -> None:
        """Wait for the answer as long as calls go on, each within the limit."""
        seen, unchanged = self._number(), 0
        while not (await asyncio.wait((reading,), timeout=self.wall))[0]:
            now = self._number()
            unchanged = unchanged + 1 if now == seen else 0
            if unchanged >= (PATIENCE if now < 0 else 1):
                raise TimeoutError
            seen = now

    def _number(self) -> int:
        written = os.pread(self._counter.fileno(), COUNTER_BYTES, 0)
        return int.from_bytes(written, sys.byteorder, signed=True)

    async def kill(self) -> None:
        """End the process now; the next message starts a new one."""
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(ProcessLookupError):
            process.kill()
        if process.stdin is not None:
            process.stdin.close()
        await process.wait()

    async def close(self) -> None:
        await self.kill()
        self._counter.close()


async def _read_frame(stream: asyncio.StreamReader) -> bytes:
    """Raises EOFError (IncompleteReadError) when the child ends."""
    header = await stream.readexactly(frames.HEADER.size)
    return await stream.readexactly(frames.length_of(header))
