import CSystemd
import Glibc
import HostRuntime

/// One connection to a message bus, confined to its queue.
///
/// The queue drives sd-bus by its descriptor, events and timeout, so that no thread waits in it.
/// Actors on the same `executor` (`QueueActor`) may use `assumeIsolated` in the handlers that they
/// register here.
package actor BusConnection: QueueActor {
    package nonisolated let executor: SerialQueueExecutor

    /// nil before `start` and after the connection ended.
    private var bus: OpaquePointer?
    private var readSource: ReadinessSource?
    private var writeSource: ReadinessSource?
    private var timer: QueueTimer?
    private var timerDeadline = UInt64.max
    private var pumping = false
    private var slots: [OpaquePointer] = []
    private var pendingCalls: [UInt64: PendingCall] = [:]
    private var nextCall: UInt64 = 0
    private var onEnd: (@Sendable (BusError) -> Void)?
    /// Kept alive for sd-bus, which has unretained pointers to them.
    private var handlerBoxes: [AnyObject] = []

    package init(on executor: SerialQueueExecutor) {
        self.executor = executor
    }

    // MARK: - Life

    /// Connects to `address` or to the system bus, and starts driving the connection.
    ///
    /// - Parameter onEnd: called once, on the queue, when the connection is lost. Pending calls have
    ///   failed by then. The connection cannot be reused: create a new one.
    package func start(
        address: String? = nil, onEnd: @escaping @Sendable (BusError) -> Void
    ) throws(BusError) {
        precondition(bus == nil, "a bus connection starts once")
        let opened = try Self.open(address: address)
        let watched: (read: Int32, write: Int32)
        do throws(BusError) { watched = try Self.duplicates(of: sd_bus_get_fd(opened)) } catch {
            sd_bus_close_unref(opened)
            throw error
        }
        bus = opened
        self.onEnd = onEnd
        let pump: @Sendable () -> Void = { [weak self] in self?.assumeIsolated { $0.pump() } }
        readSource = ReadinessSource(
            .read, descriptor: watched.read, on: executor, closing: true, handler: pump)
        writeSource = ReadinessSource(
            .write, descriptor: watched.write, on: executor, closing: true, handler: pump)
        timer = QueueTimer(on: executor, handler: pump)
        readSource?.resume()
        pump()
    }

    /// Duplicates for Dispatch, which closes them when it has released them. sd-bus closes its own
    /// descriptor at once, and a new owner of that number would lose the watch that Dispatch then
    /// ends.
    private static func duplicates(
        of descriptor: Int32
    ) throws(BusError) -> (read: Int32, write: Int32) {
        let read = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        let write = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        guard read >= 0, write >= 0 else {
            let code = -errno
            if read >= 0 { close(read) }
            throw BusError(operation: "watch", subject: "connection", code: code)
        }
        return (read, write)
    }

    private static func open(address: String?) throws(BusError) -> OpaquePointer {
        let subject = address ?? "system bus"
        var opened: OpaquePointer?
        if let address {
            try check(sd_bus_new(&opened), "create a connection", subject)
            var code = sd_bus_set_address(opened, address)
            if code >= 0 { code = sd_bus_set_bus_client(opened, 1) }
            if code >= 0 { code = sd_bus_start(opened) }
            if code < 0 {
                sd_bus_unref(opened)
                throw BusError(operation: "connect", subject: subject, code: code)
            }
        } else {
            try check(sd_bus_open_system(&opened), "connect", subject)
        }
        guard let opened else {
            throw BusError(operation: "connect", subject: subject, code: -ENOTCONN)
        }
        return opened
    }

    /// Sends queued messages and closes. Pending calls fail. Idempotent.
    ///
    /// - Parameter flushing: false to drop queued messages; otherwise it waits for a bus that hangs.
    package func stop(flushing: Bool = true) {
        guard let bus else { return }
        onEnd = nil
        if flushing { sd_bus_flush(bus) }
        end(BusError(operation: "use the bus", subject: "connection", code: -ENOTCONN))
    }

    private func end(_ error: BusError) {
        guard let ended = bus else { return }
        bus = nil
        readSource?.cancel()
        writeSource?.cancel()
        timer?.cancel()
        readSource = nil
        writeSource = nil
        timer = nil
        for slot in slots { sd_bus_slot_unref(slot) }
        slots = []
        let failed = pendingCalls.values
        pendingCalls = [:]
        for call in failed { call.fail(error) }
        // Ends the connection at once, although duplicates still exist.
        shutdown(sd_bus_get_fd(ended), Int32(SHUT_RDWR))
        sd_bus_close(ended)
        sd_bus_unref(ended)
        handlerBoxes = []
        onEnd?(error)
        onEnd = nil
    }

    // MARK: - Driving

    /// Processes until sd-bus has nothing left: data that it has read ahead makes no descriptor
    /// ready.
    private func pump() {
        guard !pumping else { return }
        pumping = true
        var code: Int32 = 0
        repeat {
            guard let bus else { break }
            code = sd_bus_process(bus, nil)
        } while code > 0
        pumping = false
        if code < 0 {
            return end(BusError(operation: "process", subject: "connection", code: code))
        }
        rearm()
    }

    /// Arms the sources for the events that sd-bus waits for; required after any call that may
    /// queue output.
    private func rearm() {
        guard let bus else { return }
        let events = sd_bus_get_events(bus)
        guard events >= 0 else {
            return end(BusError(operation: "poll", subject: "connection", code: events))
        }
        if events & Int32(POLLOUT) != 0 { writeSource?.resume() } else { writeSource?.suspend() }
        var deadline = UInt64.max
        sd_bus_get_timeout(bus, &deadline)
        guard deadline != timerDeadline else { return }
        timerDeadline = deadline
        if deadline == .max {
            timer?.stop()
        } else {
            timer?.fire(atMonotonicMicroseconds: deadline)
        }
    }

    // MARK: - Calling

    /// Calls a method and waits for its reply.
    ///
    /// - Parameters:
    ///   - timeout: after this time the call fails as `org.freedesktop.DBus.Error.NoReply`, unless the
    ///     peer answers first.
    ///   - writing: appends the arguments.
    ///   - reading: reads the reply, on the queue; omitted if the reply has no content.
    package func call<Reply: Sendable>(
        _ destination: String, _ path: String, _ interface: String, _ member: String,
        timeout: Duration = .seconds(25),
        writing: @Sendable (borrowing BusMessage) throws(BusError) -> Void = {
            (_: borrowing BusMessage) throws(BusError) in
        },
        reading: @escaping @Sendable (borrowing BusMessage) throws(BusError) -> Reply = {
            (_: borrowing BusMessage) throws(BusError) in
        }
    ) async throws(BusError) -> Reply {
        let operation = "\(interface).\(member)"
        guard let bus else { throw BusError(operation: operation, subject: path, code: -ENOTCONN) }
        let message = try BusMessage(operation, path) {
            sd_bus_message_new_method_call(bus, &$0, destination, path, interface, member)
        }
        try writing(message)
        let result: Result<Reply, BusError> = await withCheckedContinuation { continuation in
            let pending = PendingCall { outcome in
                continuation.resume(
                    returning: Self.read(outcome, operation, path, reading))
            }
            send(message, pending, timeout, operation, path)
        }
        return try result.get()
    }

    private func send(
        _ message: borrowing BusMessage, _ pending: PendingCall, _ timeout: Duration,
        _ operation: String, _ path: String
    ) {
        nextCall += 1
        let number = nextCall
        pending.onFinish = { [weak self] in
            self?.assumeIsolated { $0.pendingCalls[number] = nil }
        }
        var slot: OpaquePointer?
        let code = sd_bus_call_async(
            bus, &slot, message.raw, handleReply, Unmanaged.passUnretained(pending).toOpaque(),
            UInt64(timeout.clampedNanoseconds / 1000))
        guard code >= 0 else {
            return pending.fail(BusError(operation: operation, subject: path, code: code))
        }
        pending.slot = slot
        pendingCalls[number] = pending
        rearm()
    }

    private static func read<Reply>(
        _ outcome: PendingCall.Outcome, _ operation: String, _ path: String,
        _ reading: (borrowing BusMessage) throws(BusError) -> Reply
    ) -> Result<Reply, BusError> {
        switch outcome {
        case .failed(let error): return .failure(error)
        case .answered(let raw):
            let message = BusMessage(retaining: raw)
            if let error = message.peerError(operation: operation, subject: path) {
                return .failure(error)
            }
            do throws(BusError) {
                return .success(try reading(message))
            } catch {
                return .failure(error)
            }
        }
    }

    // MARK: - Signals

    /// Calls `handler` on the queue for every message that the rule matches (D-Bus match syntax).
    ///
    /// Rules reach the bus in the order of the calls, so a rule that is added before
    /// `GetManagedObjects` misses no later change.
    package func match(
        _ rule: String, handler: @escaping @Sendable (borrowing BusMessage) -> Void
    ) throws(BusError) {
        let box = HandlerBox<SignalHandler>(handler)
        var slot: OpaquePointer?
        try check(
            sd_bus_add_match_async(
                bus, &slot, rule, handleSignal, nil, Unmanaged.passUnretained(box).toOpaque()),
            "add a match", rule)
        keep(slot, box)
        rearm()
    }

    /// Calls `handler` on the queue when a program takes or gives up the name of a service: whether it has an owner.
    package func matchOwner(of service: String, handler: @escaping @Sendable (_ hasOwner: Bool) -> Void)
        throws(BusError)
    {
        try match(
            "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
                + "member='NameOwnerChanged',arg0='\(service)'"
        ) { @Sendable message in
            do throws(BusError) {
                // The name and its former owner.
                for _ in 0..<2 { _ = try message.readString() }
                handler(try !message.readString().isEmpty)
            } catch {
                return  // not from dbus-daemon, then
            }
        }
    }

    /// Sends a signal from `path`.
    package func emit(
        _ path: String, _ interface: String, _ member: String,
        writing: (borrowing BusMessage) throws(BusError) -> Void
    ) throws(BusError) {
        let operation = "\(interface).\(member)"
        let message = try BusMessage(operation, path) {
            sd_bus_message_new_signal(bus, &$0, path, interface, member)
        }
        try writing(message)
        try check(sd_bus_send(bus, message.raw, nil), operation, path)
        rearm()
    }

    // MARK: - Serving

    /// Passes every incoming method call to `handler`; true means that it handles the call.
    ///
    /// A service whose objects come and go answers from its own table, so paths need no
    /// registration with the library.
    package func serve(
        _ handler: @escaping @Sendable (BusInvocation) -> Bool
    ) throws(BusError) {
        let box = HandlerBox<CallHandler> { [weak self] raw in
            guard let self else { return false }
            let call = BusInvocation(BusMessage(retaining: raw), on: executor) {
                self.assumeIsolated { $0.rearm() }
            }
            return handler(call)
        }
        var slot: OpaquePointer?
        try check(
            sd_bus_add_filter(
                bus, &slot, handleIncoming, Unmanaged.passUnretained(box).toOpaque()),
            "serve", "connection")
        keep(slot, box)
    }

    /// Requests a well-known name; throws if it has another owner.
    package func requestName(_ name: String) async throws(BusError) {
        let doNotQueue: UInt32 = 4
        let owned: UInt32 = try await call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
            "RequestName",
            writing: { message throws(BusError) in
                try message.append(string: name)
                try message.append(uint32: doNotQueue)
            },
            reading: { message throws(BusError) in try message.readUInt32() })
        guard owned == 1 || owned == 4 else {
            throw BusError(operation: "RequestName", subject: name, code: -EEXIST)
        }
    }

    private func keep(_ slot: OpaquePointer?, _ box: AnyObject) {
        if let slot { slots.append(slot) }
        handlerBoxes.append(box)
    }
}
