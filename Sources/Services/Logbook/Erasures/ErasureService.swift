import Bytes
import Contract
import HostRuntime
import LogbookStores

/// Requests every gateway to erase the athletes that the logbook has erased, even after weeks offline.
///
/// The pending requests are in a file. Each is sent as soon as its gateway is online. The service waits for
/// the disk on its own serial queue.
final class ErasureService: Sendable {
    /// The interval at which the file is read.
    static let pollInterval = Duration.seconds(2)

    private let file: ErasureRequestFile
    private let room: LiveRoom
    private let runtime: any Runtime
    private let log: SystemLog
    private let executor: SerialQueueExecutor
    private nonisolated(unsafe) var scheduler: ErasureScheduler  // of the executor alone
    private nonisolated(unsafe) var timer: QueueTimer?  // of the executor alone
    private nonisolated(unsafe) var lastFailure: String?  // of the executor alone

    init(_ file: ErasureRequestFile, room: LiveRoom, runtime: any Runtime, log: SystemLog) {
        (self.file, self.room, self.runtime, self.log) = (file, room, runtime, log)
        scheduler = ErasureScheduler(below: room.topicPrefix)
        executor = runtime.makeQueue(label: "logbook.erasures")
    }

    /// - Parameter publish: Publishes a command. Drops it if it cannot be sent now.
    func start(_ publish: @escaping @Sendable (OutgoingCommand) -> Void) {
        executor.async { [self] in
            timer = QueueTimer(on: executor) { @Sendable [weak self] in self?.step(publish) }
            timer?.fire(every: Self.pollInterval)
        }
    }

    func stop() { executor.enter { [self] in timer?.cancel() } }

    private func step(_ publish: (OutgoingCommand) -> Void) {
        guarded { () throws(ErasureRequestFile.Fault) in
            let commands = scheduler.step(
                try file.read(), isOnline: isOnline, at: runtime.now(),
                makeID: { "forget-\(runtime.makeULID())" })
            for command in commands { publish(command) }
        }
    }

    private func isOnline(_ gateway: GatewayID) -> Bool {
        room.isBrokerConnected && room.contains(.init(gateway: gateway, erg: nil)) && !room.isOffline(gateway)
    }

    /// Handles a reply to an erasure request.
    func handle(reply: JSONObject, from gateway: GatewayID) {
        executor.async { [self] in applyReply(reply, from: gateway) }
    }

    private func applyReply(_ reply: JSONObject, from gateway: GatewayID) {
        guard let (athlete, state) = scheduler.handle(reply: reply, from: gateway, at: runtime.now())
        else { return }
        // The log does not name the athlete, because log files are stored for a long time.
        switch state {
        case .erased(let records, _):
            log.notice("\(gateway) has erased an athlete: \(records) records erased")
        case .waiting(let refusal):
            log.warning(
                "\(gateway) refused to erase an athlete; retrying later: \(refusal ?? "")")
        }
        guarded { () throws(ErasureRequestFile.Fault) in
            try file.recordAnswer(athlete, at: gateway, state, now: runtime.unixMilliseconds())
        }
    }

    private func guarded(_ body: () throws(ErasureRequestFile.Fault) -> Void) {
        do throws(ErasureRequestFile.Fault) {
            try body()
            lastFailure = nil
        } catch {
            if error.description != lastFailure {
                log.error("cannot request erasures from gateways: \(error); retrying every 2 s")
            }
            lastFailure = error.description
        }
    }
}
