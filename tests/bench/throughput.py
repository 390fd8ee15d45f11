"""How fast one worker process evaluates against an endpoint of fixed latency, and at what cost.

    python -m tests.bench.throughput [--json FILE] [--runs N]

The ideal is n × latency ÷ requests in flight. Everything counts from the moment a run is
scheduled to the row that says it is finished: messages, leases, asking, storing, judging.
CPU is that of the worker and of PostgreSQL; memory is the worker's resident set.
`--runs N` repeats the last setting, to show that memory stays flat.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import asdict, dataclass

import psutil

from tests.bench import figures
from tests.faults.house import House, kill_tree, wait_until

SINGLE_TURN = (
    *("simple_python", "simple_java", "simple_javascript", "multiple", "parallel"),
    *("parallel_multiple", "irrelevance", "live_simple", "live_multiple", "live_parallel"),
    *("live_parallel_multiple", "live_irrelevance", "live_relevance"),
)
SETTINGS = ((1.0, 64, 0.90), (1.0, 512, 0.75), (0.1, 64, 0.29))  # latency, in flight, goal
PATIENCE = 600.0  # seconds


@dataclass(frozen=True, slots=True)
class Figure:
    """One setting, measured. Times in seconds, memory in MB."""

    latency: float
    in_flight: int
    cases: int
    seconds: float
    share_of_ideal: float
    goal: float
    cases_per_second: float
    worker_cpu_ms_per_case: float
    database_cpu_ms_per_case: float
    worker_memory: float


class Bench:
    """A house with one worker process, and a benchmark loaded in it."""

    def __init__(self, house: House) -> None:
        from django.core.management import call_command

        from evaluation.benchmarks import suite
        from evaluation.services import benchmarks, cards

        call_command("migrate", interactive=False, verbosity=0)
        self.house = house
        self.benchmark, _ = benchmarks.load(suite("bfcl-v4"))
        self.card = cards.make_card("Bench", organisation="Tests")

    def measure(self, latency: float, in_flight: int, goal: float) -> Figure:
        from evaluation.models import Endpoint, Run
        from evaluation.services import scheduling

        self._start_endpoint(latency)
        endpoint = Endpoint.objects.create(
            card=self.card,
            base_url=f"http://127.0.0.1:{self.house.port}/v1",
            remote_model="bench",
            mode="fc",
            in_flight=in_flight,
        )
        worker_cpu, database_cpu, began = (
            self._worker_cpu(),
            self._database_cpu(),
            time.monotonic(),
        )
        run = scheduling.schedule(endpoint, benchmark=self.benchmark, categories=list(SINGLE_TURN))
        ended = Run.objects.filter(pk=run.pk).exclude(state__in=Run.ACTIVE)
        wait_until(ended.exists, PATIENCE, "the run ends")
        seconds = time.monotonic() - began
        return Figure(
            latency=latency,
            in_flight=in_flight,
            cases=run.n,
            seconds=round(seconds, 2),
            share_of_ideal=round(run.n * latency / in_flight / seconds, 3),
            goal=goal,
            cases_per_second=round(run.n / seconds, 1),
            worker_cpu_ms_per_case=round(1000 * (self._worker_cpu() - worker_cpu) / run.n, 2),
            database_cpu_ms_per_case=round(
                1000 * (self._database_cpu() - database_cpu) / run.n, 2
            ),
            worker_memory=round(self._memory(), 1),
        )

    def _start_endpoint(self, latency: float) -> None:
        if self.house.endpoint is not None:
            kill_tree(self.house.endpoint)
        command = [sys.executable, "-m", "tests.bench.latency_server"]
        options = ["--port", str(self.house.port), "--latency", str(latency)]
        self.house.endpoint = self.house.start("latency", [*command, *options])
        wait_until(lambda: self.house.ask("/count") is not None, 20, "the endpoint answers")

    def _worker(self) -> list[psutil.Process]:
        leader = psutil.Process(self.house.workers[0].pid)
        return [leader, *leader.children(recursive=True)]

    def _worker_cpu(self) -> float:
        return sum(_cpu(process) for process in self._worker())

    def _memory(self) -> float:
        """Of the process that does the work: the largest."""
        return max(process.memory_info().rss for process in self._worker()) / 1024**2

    def _database_cpu(self) -> float:
        """Of the server's processes; those that ended are in the postmaster's own account."""
        assert self.house.servers.postgres is not None
        server = self.house.servers.postgres.running()
        assert server is not None
        ended = server.cpu_times()
        living = sum(_cpu(process) for process in (server, *server.children(recursive=True)))
        return living + float(ended.children_user + ended.children_system)


def _cpu(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:  # a connection's server process that has just ended
        return 0.0
    return float(times.user + times.system)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.throughput")
    figures.add_option(parser)
    parser.add_argument("--runs", type=int, default=1, help="of the last setting")
    parser.add_argument("--quick", action="store_true", help="the last setting only")
    given = parser.parse_args()
    house = House(concurrency=1, lease=120)
    with house.open():
        bench = Bench(house)
        wanted = SETTINGS[-1:] if given.quick else SETTINGS
        settings = [*wanted, *[SETTINGS[-1]] * (given.runs - 1)]
        found = [asdict(tell(bench.measure(*setting))) for setting in settings]
    figures.keep(given.json, "throughput", {"settings": found})
    return 0


def tell(figure: Figure) -> Figure:
    sys.stdout.write(
        f"{figure.latency:g} s, {figure.in_flight:>3} in flight: {figure.share_of_ideal:>6.1%} of "
        f"ideal (goal {figure.goal:.0%}), {figure.cases_per_second:g} cases/s, CPU per case "
        f"{figure.worker_cpu_ms_per_case:g} ms worker + {figure.database_cpu_ms_per_case:g} ms "
        f"PostgreSQL, worker {figure.worker_memory:g} MB\n"
    )
    sys.stdout.flush()
    return figure


if __name__ == "__main__":
    sys.exit(main())
