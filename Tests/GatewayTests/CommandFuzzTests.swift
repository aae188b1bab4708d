import Bytes
import Contract
import TestSupport
import Testing

@testable import Gateway
@testable import Timeline

@Suite struct CommandFuzzTests {
    private static let room = ["erg-1", "erg-2"].compactMap { StationID($0) }
    private static let seeds = [
        #"{"request_id":"1","type":"intervals","repeat":4,"intervals":[{"distance_m":500,"rest_s":60,"#
            + #""target_pace_s_per_500m":120.5},{"duration_s":60,"undefined_rest":true}],"force":true}"#,
        #"{"request_id":"2","kind":"stroke","erg":"erg-1","from_seq":1,"to_seq":20}"#,
        #"{"request_id":"3","athlete_id":"a-17","until":"session_end"}"#,
        #"{"request_id":"4","for_s":900,"ms":500,"endless":false}"#,
        #"{"request_id":"6","alert_id":"01J7ZK3Q5XQ4W8G9T2V6B0C1DF","by":"anna"}"#,
        #"{"request_id":"5","type":"time","duration_s":1800,"split_duration_s":300}"#,
    ]

    @Test(arguments: [11, 12, 13] as [UInt64])
    func answersEveryRequest(seed: UInt64) {
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        var validator = CommandValidator(allowed: AllowedCommands(changes: true), athletes: nil)
        let verbs = CommandVerb.allCases.map(\.rawValue) + ["", "explode", "ä/#", "PING"]
        let targets: [CommandTarget] = [.gateway, .everyStation] + Self.room.map { .station($0) }
        var now = BootInstant(nanoseconds: 1_000_000_000)
        for _ in 0..<5_000 {
            now = now.advanced(by: .milliseconds(1))
            var request = CommandRequest(
                origin: Bool.random(using: &generator) ? .mqtt : .controlSocket,
                target: targets.randomElement(using: &generator)!,
                verb: verbs.randomElement(using: &generator)!, payload: bytes(&generator),
                receivedAt: now)
            request.isRetained = Int.random(in: 0..<8, using: &generator) == 0
            let decisions = validator.decide(request, stations: Self.room, at: now)
            #expect(decisions.count == (request.target == .everyStation ? 2 : 1))
            for decision in decisions { expectAnswer(decision, at: now) }
        }
        #expect(validator.refusals > 1000)
    }

    private func expectAnswer(_ decision: CommandValidator.Decision, at now: BootInstant) {
        guard case .reply(let reply) = decision else { return }
        let clock = WallClock(bootID: "b", unixMillisecondsAtBoot: 0, isSynchronized: true)
        let payload = reply.payload(gateway: GatewayID("gw")!, at: now, clock: clock)
        #expect(throws: Never.self) { try JSONValue(parsing: payload) }
        #expect(payload.count < 2048, "every reply is short")
    }

    private func bytes(_ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = Array(Self.seeds.randomElement(using: &generator)!.utf8)
        for _ in 0..<Int.random(in: 0...4, using: &generator) {
            let index = Int.random(in: bytes.indices, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: bytes[index] = .random(in: 0...255, using: &generator)
            case 1: bytes.insert(contentsOf: bytes[..<index], at: index)
            case 2: bytes.removeLast(min(bytes.count - 1, Int.random(in: 0...9, using: &generator)))
            default:
                bytes.insert(
                    contentsOf: [UInt8](repeating: UInt8(ascii: "["), count: index * 8), at: index)
            }
        }
        return bytes
    }
}
