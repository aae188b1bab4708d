import Foundation
import HostRuntime
import Testing

@testable import Contract
@testable import Gateway
@testable import Timeline

@Suite struct StoredReplyTests {
    private let gateway = GatewayID("boathouse")!
    private let erg = StationID("erg-1")!
    private let victim = "zoe-forgotten"
    private let other = "bob-kept"

    @Test func storedRepliesDoNotNameAnErasedAthlete() throws {
        let now = BootInstant(nanoseconds: 5_000_000_000_000)
        var validator = CommandValidator(allowed: AllowedCommands(), athletes: nil)
        func request(_ athlete: String) -> CommandRequest {
            CommandRequest(
                origin: .mqtt, target: .station(erg), verb: "assign",
                payload: Array(
                    #"{"request_id":"\#(athlete.count)","athlete_id":"\#(athlete)"}"#.utf8),
                receivedAt: now)
        }
        for athlete in [victim, other] {
            guard
                case .perform(let task)? = validator.decide(
                    request(athlete), stations: [erg], at: now
                ).first
            else { throw CocoaError(.fileNoSuchFile) }
            let reply = task.reply(.done, "\(athlete) is assigned", .assigned(athlete: athlete))
            validator.finish(task, with: payload(reply))
        }
        validator.forget(victim, payload)
        let bytes = validator.memory.encode(at: now)
        #expect(bytes.firstRange(of: Array(victim.utf8)) == nil)
        #expect(bytes.firstRange(of: Array(other.utf8)) != nil)
        guard
            case .repeated(let repeated, erg)? = validator.decide(
                request(victim), stations: [erg], at: now
            ).first
        else { throw CocoaError(.fileNoSuchFile) }
        #expect(String(decoding: repeated, as: UTF8.self).contains("forgotten since"))
    }

    @Test func storedAcknowledgementsDoNotNameAnErasedAthlete() throws {
        let now = BootInstant(nanoseconds: 5_000_000_000_000)
        var validator = CommandValidator(allowed: AllowedCommands(changes: true), athletes: nil)
        for name in [victim, other] {
            let request = CommandRequest(
                origin: .mqtt, target: .gateway, verb: "ack",
                payload: Array(
                    #"{"request_id":"\#(name.count)","alert_id":"01J7ZK3Q5XQ4W8G9T2V6B0C1DF"}"#
                        .utf8),
                receivedAt: now)
            guard case .perform(let task)? = validator.decide(request, stations: [erg], at: now).first
            else { throw CocoaError(.fileNoSuchFile) }
            let reply = task.reply(.done, "stopped of erg-1 is acknowledged by \(name)")
            validator.finish(task, with: payload(reply))
        }
        validator.forget(victim, payload)
        let bytes = validator.memory.encode(at: now)
        #expect(bytes.firstRange(of: Array(victim.utf8)) == nil)
        #expect(bytes.firstRange(of: Array(other.utf8)) != nil)
    }

    private func payload(_ reply: CommandReply) -> [UInt8] {
        reply.payload(gateway: gateway, at: SystemRuntime().now(), clock: SystemRuntime().wall())
    }
}
