"""Child processes that are waited for in threads and hear a signal together."""
import concurrent.futures
import signal
import subprocess
import threading

from . import signals


class Processes:
    def __init__(self):
        self.ended = None  # the signal by which they were told to end
        self._running = set()
        self._lock = threading.Lock()

    def run(self, command, **options):
        """The completed process with its output, or None if they were told to end before."""
        with self._lock:
            if self.ended:
                return None
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
            self._running.add(process)
        try:
            out, err = process.communicate()
        finally:
            with self._lock:
                self._running.discard(process)
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def end(self, number, futures):
        """Starts no other process, passes the signal on to those that run, and waits for the threads. A
        signal that comes in the meantime is passed on, too: who is told twice ends at once."""
        self._send(number)
        waiting = True
        while waiting:
            try:
                waiting = concurrent.futures.wait(futures, timeout=0.1).not_done
                again = signals.take() & {signal.SIGTERM}
            except KeyboardInterrupt:
                again = {signal.SIGINT}
            for number in again:
                self._send(number)

    def _send(self, number):
        with self._lock:
            self.ended = number
            for process in self._running:
                process.send_signal(number)


def result_of(future):
    """Of a thread's work; a SIGTERM in the meantime ends the script."""
    while not concurrent.futures.wait([future], timeout=0.1).done:
        signals.obey()
    return future.result()
