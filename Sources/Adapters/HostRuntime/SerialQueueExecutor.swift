import Dispatch

/// A serial Dispatch queue that actors run on.
///
/// Dispatch sources of the same queue may reach the actor's state through `assumeIsolated`, so an
/// event costs neither a lock nor a suspension. Stands in for `DispatchSerialQueue`, which the
/// Linux Dispatch lacks.
package final class SerialQueueExecutor: SerialExecutor {
    /// The queue itself: for Dispatch sources and timers of the actor that lives here.
    package let queue: DispatchQueue

    /// Makes a queue of its own; `label` names it in a debugger and in watchdog messages.
    package init(label: String) {
        // No quality of service: libdispatch would renice its threads for one, which a service without
        // privileges may not, and complain on standard error for each of them.
        queue = DispatchQueue(label: label, autoreleaseFrequency: .never)
    }

    /// Name of the queue, as debuggers and the watchdog show it.
    package var label: String { queue.label }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    /// Lets `assumeIsolated` succeed in a handler that Dispatch calls on this queue.
    package func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
