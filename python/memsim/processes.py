"""Child processes that are waited for in threads and hear a signal together."""
import concurrent.futures
import subprocess
import threading

from . import signals


class Processes:
    def __init__(self):
        self.stopped = None  # the signal by which they were told to end
        self._running = set()
        self._lock = threading.Lock()

    def run(self, command, **options):
        """The completed process with its output, or None if they were told to end before."""
        with self._lock:
            if self.stopped:
                return None
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
            self._running.add(process)
        try:
            out, err = process.communicate()
        finally:
            with self._lock:
                self._running.discard(process)
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def stop(self, number):
        """Sends the signal to those that run; no other one is started."""
        with self._lock:
            self.stopped = number
            for process in self._running:
                process.send_signal(number)


def result_of(future):
    """Of a thread's work; a SIGTERM in the meantime ends the script."""
    while not concurrent.futures.wait([future], timeout=0.1).done:
        signals.obey()
    return future.result()
