import Glibc
import HostRuntime
import Timeline

/// One thread that runs everything of a world in stepped time.
///
/// Work of every queue goes into one line, first in, first out; when the line is empty, the time
/// moves to the next timer. Timers of the same moment fire in the order of their scheduling. Jobs of
/// no actor, which the Swift runtime would spread over its threads, get into the same line: so
/// everything happens in one order, and the same seed gives the same bytes.
package final class SteppedLoop: @unchecked Sendable {  // used only by its thread while it runs
    private struct Entry {
        let queue: SerialQueueExecutor
        let program: SteppedRuntime
        let work: () -> Void
    }

    package private(set) var now = BootInstant(nanoseconds: 60_000_000_000)
    private var line: [Entry] = []
    private var first = 0
    private var timers = TimerHeap()
    private var order: UInt64 = 0
    /// The queue whose work is under way, and the program that it is of.
    private(set) var running: (queue: SerialQueueExecutor, program: SteppedRuntime)?
    /// How many pieces of work have begun.
    private(set) var turns = 0

    private init() {}

    /// Runs `body` in a separate loop and returns its result; `body` may wait for
    /// actors, and for time by `SteppedRuntime.sleep`.
    package static func run<Result: Sendable>(
        seed: UInt64, _ body: @escaping @Sendable (SteppedRuntime) async throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { waiter in
            startThread {
                let outcome = SteppedLoop().drive(seed: seed, body)
                waiter.resume(with: outcome)
            }
        }
    }

    private func drive<Result: Sendable>(
        seed: UInt64, _ body: @escaping @Sendable (SteppedRuntime) async throws -> Result
    ) -> Swift.Result<Result, any Error> {
        JobCapture.begin(self)
        defer { JobCapture.end() }
        let program = SteppedRuntime(on: self, seed: seed)
        let outcome = Box<Swift.Result<Result, any Error>>()
        running = (program.pool, program)
        Task {
            do { outcome.value = .success(try await body(program)) } catch {
                outcome.value = .failure(error)
            }
        }
        while true {
            drain()
            if let value = outcome.value { return value }
            guard let next = timers.popFirst() else {
                preconditionFailure("everybody waits, and no timer is set")
            }
            now = next.due
            next.timer.fire()
        }
    }

    private func drain() {
        while first < line.count {
            let entry = line[first]
            first += 1
            if first == 4096 {
                line.removeFirst(first)
                first = 0
            }
            guard !entry.program.isDead else { continue }
            running = (entry.queue, entry.program)
            turns += 1
            entry.work()
        }
        line.removeAll(keepingCapacity: true)
        first = 0
        running = nil
    }

    func append(
        _ work: @escaping () -> Void, to queue: SerialQueueExecutor, of program: SteppedRuntime
    ) {
        line.append(Entry(queue: queue, program: program, work: work))
    }

    func add(_ timer: SteppedTimer, due: BootInstant) {
        order += 1
        timers.insert(
            .init(due: due, order: order, timer: timer, schedule: timer.schedule))
    }

    /// A job of no actor: of the program that made it.
    fileprivate func enqueue(_ job: UnownedJob) {
        guard let program = running?.program else {
            preconditionFailure("a job came from outside of the world")
        }
        let pool = program.pool
        append({ job.runSynchronously(on: pool.asUnownedSerialExecutor()) }, to: pool, of: program)
    }
}

/// Filled by a task of the loop, read by the loop.
private final class Box<Value>: @unchecked Sendable {
    var value: Value?
}

private func startThread(_ body: @escaping @Sendable () -> Void) {
    final class Start: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setstacksize(&attributes, 16 << 20)
    var thread = pthread_t()
    let code = pthread_create(
        &thread, &attributes,
        { @Sendable context in
            Unmanaged<Start>.fromOpaque(context!).takeRetainedValue().body()
            return nil
        }, Unmanaged.passRetained(Start(body)).toOpaque())
    precondition(code == 0, "no thread for the stepped loop")
    pthread_detach(thread)
}

/// Captures the jobs that a loop's thread enqueues in the Swift runtime; jobs of other threads run as usual.
///
/// The runtime calls `swift_task_enqueueGlobal_hook`, if it is set, instead of its
/// function (swift/stdlib/public/Concurrency/GlobalExecutor.cpp).
private enum JobCapture {
    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        guard let symbol = dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook") else {
            preconditionFailure("this Swift runtime does not allow to capture its jobs")
        }
        symbol.assumingMemoryBound(to: Hook?.self).pointee = { job, original in
            guard let loop = JobCapture.loop else { return original(job) }
            loop.enqueue(job)
        }
        return key
    }()

    private static var loop: SteppedLoop? {
        pthread_getspecific(key).map {
            Unmanaged<SteppedLoop>.fromOpaque($0).takeUnretainedValue()
        }
    }

    static func begin(_ loop: SteppedLoop) {
        pthread_setspecific(key, Unmanaged.passUnretained(loop).toOpaque())
    }

    static func end() { pthread_setspecific(key, nil) }
}
