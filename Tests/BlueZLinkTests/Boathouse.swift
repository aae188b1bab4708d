import HostRuntime
import Rowing
import Synchronization
import TestSupport

@testable import BlueZLink
@testable import PM5Simulator

/// A private bus, a simulated bluetoothd with monitors, and the room link under test.
///
/// Delays of BlueZ and of the radio run at ten times their speed, if a test asks for no other;
/// those of the link itself are its own.
final class Boathouse: Sendable {
    let bus: PrivateBus
    let service: BlueZService
    let listeners: [String: RecordingListener]
    /// The log lines of the room links, `notice` and above, without fields.
    private let lines = Mutex<[String]>([])
    /// Harmful calls that the simulated bluetoothd counted.
    private let harmfulCalls = Mutex<[String]>([])

    /// `ergs` monitors with serial numbers 430000001 and up; the service is not started yet.
    ///
    /// - Parameter linkSpeed: at 10 a device is removed 3 s after it was last seen, and a later
    ///   connect fails.
    init(
        ergs: Int, adapters: String = "hci0:7", workout: String = "just-row",
        generation: MonitorGeneration = .new, power: BatteryPower = BatteryPower(),
        linkSpeed: Double = 10
    ) async throws {
        bus = try await PrivateBus()
        let script = try WorkoutScript(parsing: workout)
        let monitors = (1...ergs).map { number in
            SimulatedErg(
                SimulatedIdentity(serial: Self.serial(number), generation: generation),
                script: script, calendar: MonitorCalendar(minutesAtStart: 29_700_000),
                seed: UInt64(number), startDelayMilliseconds: 500, power: power)
        }
        guard let plans = AdapterPlan.list(parsing: adapters) else {
            throw TestSupportError("not a list of adapters: \(adapters)")
        }
        service = BlueZService(
            monitors: monitors, adapters: plans,
            timing: .init(rowingSpeed: 1, linkSpeed: linkSpeed), seed: 1, busAddress: bus.address,
            truth: nil)
        listeners = Dictionary(
            uniqueKeysWithValues: (1...ergs).map {
                (Self.serial($0), RecordingListener(Self.serial($0)))
            })
    }

    /// A boathouse and a room link in it, whose monitors all stream.
    static func streaming(
        ergs: Int, adapters: String = "hci0:7",
        _ adjust: (inout RoomLinkConfiguration) -> Void = { _ in }
    ) async throws -> (Boathouse, RoomLink) {
        let house = try await Boathouse(ergs: ergs, adapters: adapters)
        try await house.startService()
        let room = house.makeRoom(adjust)
        await room.start()
        guard await house.allStream() else { throw TestSupportError("not all stream") }
        return (house, room)
    }

    static func serial(_ number: Int) -> String { "43000000\(number)" }

    /// A room link that maps every monitor by its serial number.
    func makeRoom(
        _ adjust: (inout RoomLinkConfiguration) -> Void = { _ in }
    ) -> RoomLink {
        var configuration = RoomLinkConfiguration(roster: .listed(listeners.mapValues(\.endpoint)))
        configuration.busAddress = bus.address
        configuration.seed = 1
        adjust(&configuration)
        return RoomLink(
            configuration: configuration, executor: SerialQueueExecutor(label: "bus"),
            clock: SystemRuntime(),
            log: SystemLog(
                subsystem: "bluez", threshold: .notice,
                destination: .reader { @Sendable [weak self] _, line, _ in
                    self?.lines.withLock { $0.append(line) }
                }))
    }

    /// Every line so far, or those with these words.
    func logged(_ words: String? = nil) -> [String] {
        lines.withLock { $0.filter { line in words.map(line.contains) ?? true } }
    }

    func startService() async throws { try await service.start { _ in } }

    /// One more owner of the bus connection that the link uses is fine: the bus is private.
    @discardableResult
    func control(_ line: String) async -> String { await service.control(line) }

    func listener(_ number: Int) throws -> RecordingListener {
        guard let listener = listeners[Self.serial(number)] else {
            throw TestSupportError("no monitor \(number)")
        }
        return listener
    }

    /// Waits until every station has an open link with data on it.
    func allStream(within timeout: Duration = .seconds(300)) async -> Bool {
        await eventually(within: timeout) { self.listeners.values.allSatisfy(\.isStreaming) }
    }

    /// Violations that stations or the simulated radios recorded.
    var faults: [String] { listeners.values.flatMap(\.now.faults) + harmfulCalls.withLock { $0 } }

    func stop(_ room: RoomLink) async {
        await room.stop()
        let counted = await service.harmfulCalls
        harmfulCalls.withLock { $0 += counted }
        await service.stop()
    }
}

extension BlueZService {
    /// In words, of each adapter to which anything was done that should not be.
    fileprivate var harmfulCalls: [String] {
        adapters.filter { $0.harmfulCalls != HarmfulCalls() }.map { "\($0.name): \($0.harmfulCalls)" }
    }
}
