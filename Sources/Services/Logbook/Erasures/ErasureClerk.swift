import Bytes
import Contract
import HostRuntime
import LogbookStores
import MQTTClient

/// Sees to it that each gateway forgets whom the logbook has forgotten, also one that is away for weeks.
///
/// What is wished stands in a file, from which it goes out as soon as the gateway is there. Has a queue of
/// its own, on which it waits for the disk.
final class ErasureClerk: Sendable {
    /// Between two looks at the file.
    static let pace = Duration.seconds(2)

    private let file: ErrandFile
    private let room: LiveRoom
    private let runtime: any Runtime
    private let log: SystemLog
    private let executor: SerialQueueExecutor
    private nonisolated(unsafe) var desk = ErasureDesk()  // of the executor alone
    private nonisolated(unsafe) var timer: QueueTimer?  // of the executor alone
    private nonisolated(unsafe) var lastWords: String?  // of the executor alone

    init(_ file: ErrandFile, room: LiveRoom, runtime: any Runtime, log: SystemLog) {
        (self.file, self.room, self.runtime, self.log) = (file, room, runtime, log)
        executor = runtime.makeQueue(label: "logbook.erasures")
    }

    /// - Parameter publish: sends a command; what cannot be sent now is not sent at all.
    func start(_ publish: @escaping @Sendable (ReplayDesk.Request) -> Void) {
        executor.async { [self] in
            timer = QueueTimer(on: executor) { @Sendable [weak self] in self?.step(publish) }
            timer?.fire(every: Self.pace)
        }
    }

    func stop() { executor.enter { [self] in timer?.cancel() } }

    private func step(_ publish: (ReplayDesk.Request) -> Void) {
        guarded { () throws(ErrandFile.Fault) in
            let requests = desk.step(
                try file.read(), isThere: isThere, at: runtime.now(),
                makeID: { "forget-\(runtime.makeULID())" })
            for request in requests { publish(request) }
        }
    }

    private func isThere(_ gateway: GatewayID) -> Bool {
        room.hearsBroker && room.knows(.init(gateway: gateway, erg: nil)) && !room.isAway(gateway)
    }

    /// A message of any gateway.
    func hear(_ message: IncomingMessage) {
        guard let (gateway, topic) = TopicMap.read(message.topic),
            case .reply(nil, CommandVerb.forget.rawValue) = topic,
            message.payload.count <= 32 * 1024,
            let reply = (try? JSONObject(parsing: message.payload)).flatMap(\.self)
        else { return }
        executor.async { [self] in take(reply, from: gateway) }
    }

    private func take(_ reply: JSONObject, from gateway: GatewayID) {
        guard let (athlete, state) = desk.take(reply: reply, from: gateway, at: runtime.now())
        else { return }
        // The journal names nobody: it is kept for long.
        switch state {
        case .erased(let records, _):
            log.notice("\(gateway) has forgotten an athlete: \(records) records are erased there")
        case .waiting(let words):
            log.warning(
                "\(gateway) does not forget an athlete, and is asked again: \(words ?? "")")
        }
        guarded { () throws(ErrandFile.Fault) in
            try file.settle(athlete, at: gateway, state, now: runtime.unixMilliseconds())
        }
    }

    private func guarded(_ body: () throws(ErrandFile.Fault) -> Void) {
        do throws(ErrandFile.Fault) {
            try body()
            lastWords = nil
        } catch {
            if error.description != lastWords {
                log.error("gateways are not asked to forget an athlete: \(error)")
            }
            lastWords = error.description
        }
    }
}
