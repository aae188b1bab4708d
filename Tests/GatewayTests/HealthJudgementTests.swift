import Bytes
import CommandLineText
import ControlSocket
import Foundation
import LogbookStores
import MQTTClient
import TestSupport
import Testing

@testable import BlueZLink
@testable import Contract
@testable import Diagnosis
@testable import Gateway
@testable import Insights
@testable import LogbookInspection
@testable import Publishing
@testable import Recording
@testable import RoomTables
@testable import Rowing
@testable import Timeline

/// Each condition gives the same health status in every output: `health`, status, metrics, doctor and tables.
///
/// `Golden/health.jsonl` has the health message of each condition. The tests of the pages show it.
struct HealthJudgementTests {
    /// A condition of a gateway, and the expected status.
    struct Condition: CustomTestStringConvertible, Sendable {
        let name: String
        let status: Health.Status
        let codes: [HealthProblem.Code]
        /// Changes the snapshot of a healthy gateway.
        let change: @Sendable (inout GatewaySnapshot) -> Void
        /// Changes the facts that the doctor's own probes find.
        var probes: @Sendable (inout HostFacts) -> Void = { _ in }

        var testDescription: String { name }
    }

    private static let now = BootInstant(nanoseconds: 10_000_000_000_000)

    private static func adapter(_ number: Int, isPowered: Bool = true) -> RoomSnapshot.Adapter {
        RoomSnapshot.Adapter(
            address: "B8:27:EB:00:00:0\(number)", name: "hci\(number)", isPowered: isPowered,
            isDiscovering: false, linksUsed: 0, linkLimit: 7, foreignLinks: nil, kernel: nil,
            powerCycles: 0)
    }

    private static func room(
        _ adapters: [RoomSnapshot.Adapter] = [adapter(0)], problems: [RoomProblem] = [],
        isServicePresent: Bool = true
    ) -> RoomSnapshot {
        RoomSnapshot(
            isServicePresent: isServicePresent, serviceRestarts: 0, isMonitorMissing: false,
            adapters: adapters, monitors: [], problems: problems, sightings: [])
    }

    private static func alert(_ rule: AlertRule) -> Alert {
        Alert(
            id: "01JD3WC0A2C4E6G8J0K2M4N6P8", rule: rule, since: now.advanced(by: .seconds(-90)),
            at: now)
    }

    private static func facts(
        _ adapters: [(isPowered: Bool, isBlocked: Bool)]
    ) -> [BluetoothFacts.Adapter] {
        adapters.enumerated().map { number, adapter in
            BluetoothFacts.Adapter(
                name: "hci\(number)", address: "B8:27:EB:00:00:0\(number)",
                isPowered: adapter.isPowered, isBlocked: adapter.isBlocked, isOnboard: false)
        }
    }

    static let conditions: [Condition] = [
        Condition(name: "nothing", status: .ok, codes: []) { _ in },
        Condition(
            name: "clock not synchronised for a minute", status: .ok, codes: [],
            change: {
                $0.clock.isSynchronized = false
                $0.clockUnsynchronized = .seconds(60)
            }, probes: { $0.clock.isSynchronized = false }),
        Condition(
            name: "clock not synchronised for an hour", status: .degraded, codes: [.clock],
            change: {
                $0.clock.isSynchronized = false
                $0.clockUnsynchronized = .seconds(3600)
            }, probes: { $0.clock.isSynchronized = false }),
        Condition(
            name: "clock alert of an earlier process", status: .degraded, codes: [.clock],
            change: {
                $0.clock.isSynchronized = false
                $0.clockUnsynchronized = .zero
                $0.alerts = [alert(.clock)]
            }, probes: { $0.clock.isSynchronized = false }),
        Condition(
            name: "bluetoothd gone", status: .failed, codes: [.bluetooth],
            change: {
                $0.room = room(
                    problems: [.noBluetoothService(cause: "it left the bus")],
                    isServicePresent: false)
                $0.alerts = [alert(.bluetoothLost)]
            },
            probes: {
                $0.bluetooth = BluetoothFacts(failure: "it is not running")
            }),
        Condition(
            name: "no adapter", status: .failed, codes: [.noAdapter],
            change: {
                $0.room = room([], problems: [.noAdapter])
                $0.alerts = [alert(.adapterLost)]
            }, probes: { $0.bluetooth.adapters = [] }),
        Condition(
            name: "the only adapter off", status: .failed, codes: [.noAdapter],
            change: {
                $0.room = room(
                    [adapter(0, isPowered: false)], problems: [.adapterOff(name: "hci0")])
            }, probes: { $0.bluetooth.adapters = facts([(false, false)]) }),
        Condition(
            name: "one of two adapters blocked", status: .degraded, codes: [.adapter],
            change: {
                $0.room = room(
                    [adapter(0), adapter(1, isPowered: false)],
                    problems: [.adapterBlocked(name: "hci1")])
            }, probes: { $0.bluetooth.adapters = facts([(true, false), (false, true)]) }),
        Condition(
            name: "erg lost", status: .degraded, codes: [.link],
            change: {
                $0.stations[0].link = LinkStatus(phase: .searching)
                $0.stations[0].link.connects = 1
                $0.stations[0].openSince = nil
            }),
        Condition(
            name: "batteries low", status: .degraded, codes: [.battery],
            change: { $0.stations[0].batteryPercent = 9 }),
        Condition(
            name: "broker away", status: .degraded, codes: [.broker],
            change: {
                $0.publisher.isConnected = false
                $0.publisher.lastFailure = BrokerFailure(
                    operation: "connect", broker: "localhost:1883", cause: "connection refused")
                $0.alerts = [alert(.backlog)]
            },
            probes: {
                $0.broker.outcome = .tried(
                    .failed(
                        BrokerFailure(
                            operation: "connect", broker: "localhost:1883",
                            cause: "connection refused")))
            }),
        Condition(
            name: "certificate at its end", status: .degraded, codes: [.certificate],
            change: {
                let present = $0.clock.unixMilliseconds(at: now)
                $0.publisher.certificates = CertificateExpiry(broker: present + 86_400_000)
            }),
        Condition(
            name: "topic refused", status: .degraded, codes: [.topicRefused],
            change: {
                $0.publisher.parked = [
                    .init(topic: "rowgate/v1/b/event", until: now.advanced(by: .seconds(60)))
                ]
            }),
        Condition(
            name: "records wait for a broker that is there", status: .degraded, codes: [.backlog],
            change: {
                $0.recorder.oldestUnpublishedAge = .seconds(90)
                $0.alerts = [alert(.backlog)]
            }),
        Condition(
            name: "ring in memory", status: .degraded, codes: [.ring],
            change: {
                $0.recorder.failure = "fdatasync: Input/output error"
                $0.alerts = [alert(.ring)]
            }),
        Condition(
            name: "disk stalls", status: .degraded, codes: [.disk],
            change: {
                $0.recorder.diskDelay = .seconds(7)
                $0.alerts = [alert(.disk)]
            }),
        Condition(
            name: "records lost", status: .degraded, codes: [.recordsLost],
            change: { $0.recorder.droppedTotal = 7 }),
        Condition(
            name: "weak supply", status: .degraded, codes: [.undervoltage],
            change: { $0.host.isUndervoltage = true }),
        Condition(
            name: "supply that was weak a moment ago", status: .degraded, codes: [.undervoltage],
            change: { $0.alerts = [alert(.undervoltage)] }),
        Condition(
            name: "machine too slow", status: .degraded, codes: [.load],
            change: {
                let figures = LoadShedding.Measurements(queueDelay: .milliseconds(240), processorPercent: 97)
                for second in [0, 6] {
                    _ = $0.load.shedding.update(with: figures, at: now.advanced(by: .seconds(second)))
                }
            }),
        Condition(
            name: "several", status: .failed, codes: [.bluetooth, .battery, .broker],
            change: {
                $0.room = room(
                    problems: [.noBus(cause: "connection refused")], isServicePresent: false)
                $0.stations[0].batteryPercent = 3
                $0.publisher.isConnected = false
            }, probes: { $0.bluetooth = BluetoothFacts(failure: "it is not running") }),
    ]

    private static func snapshot(_ condition: Condition) throws -> GatewaySnapshot {
        var link = LinkStatus(phase: .streaming)
        link.connects = 1
        let station = StationSnapshot(
            station: try #require(StationID("erg-1")), serial: "430000001", link: link,
            openSince: now.advanced(by: .seconds(-60)), lastValue: now, valueRate: .zero,
            state: StationState(activity: .idle), undecodable: 0, lostEvents: 0)
        var snapshot = GatewaySnapshot(
            gateway: try #require(GatewayID("boathouse")), version: "1", at: now,
            started: now.advanced(by: .seconds(-1000)),
            clock: WallClock(
                bootID: "5f0c9c1e7d3b4a5f8e2d1c0b9a8f7e6d",
                unixMillisecondsAtBoot: 1_790_000_000_000, isSynchronized: true),
            room: room(),
            stations: [station], ergsConfigured: 1,
            publisher: PublisherStatistics(
                isConnected: true, published: 0, rejected: 0, unsubscribed: 0, tooLong: 0,
                parked: [], incomingDropped: 0,
                server: BrokerAddress(host: "localhost", port: 1883)),
            recorder: RecorderSnapshot(
                epoch: "01JD3W9Q4ZK7M2N8P5R6S7T8V9", path: "/ring", sizeBytes: 1 << 20,
                usedFraction: 0, backlog: 0, droppedTotal: 0),
            commandsRejected: 0)
        condition.change(&snapshot)
        return snapshot
    }

    private static func health(_ snapshot: GatewaySnapshot) -> [UInt8] {
        Health(snapshot).payload(
            gateway: snapshot.gateway, at: snapshot.at, clock: snapshot.clock)
    }

    @Test(arguments: conditions)
    func isTheSameEverywhere(condition: Condition) throws {
        let snapshot = try Self.snapshot(condition)
        let payload = Self.health(snapshot)
        let health = try #require(try JSONObject(parsing: payload))
        #expect(health.text("status") == condition.status.rawValue)
        #expect(RetainedSchema.fits(health, "health"), "a logbook accepts it")
        #expect(Health(snapshot).problems.map(\.code) == condition.codes)
        let severity: Int32 =
            condition.status == .ok ? 0 : condition.status == .degraded ? 1 : 2

        let status = StatusReply(snapshot)
        #expect(status.exitStatus(ofErg: nil).rawValue == severity, "rowgatectl status")
        #expect(status.problems?.map(\.code) == condition.codes.map(\.rawValue))
        #expect(status.reasons.count == condition.codes.count)

        let metrics = MetricsPage(status).text
        #expect(metrics.contains("\nrowgate_status \(severity)\n"))
        for code in condition.codes {
            let labels = #"{code="\#(code.rawValue)",severity="\#(code.severity.rawValue)"}"#
            #expect(metrics.contains("\nrowgate_problems\(labels) 1\n"), "\(metrics)")
        }

        var facts = Self.machine
        facts.service = .running(status)
        condition.probes(&facts)
        let doctor = DoctorReport(Checkup.findings(facts))
        let text = doctor.lines.rendered(inColour: false)
        #expect(doctor.exitStatus == severity, "\(text)")
        #expect(doctor.findings.count { $0.level != .ok } == condition.codes.count, "\(text)")

        var summary = GatewaySummary(snapshot.gateway)
        summary.statusMessages[.health] = GatewayStatusMessage(
            gateway: snapshot.gateway, kind: .health, reportedAt: 1_790_000_000_000,
            payload: payload)
        let table = GatewayTable([summary], calendar: .utc).lines.rendered(inColour: false)
        #expect(table.contains(condition.status.rawValue), "\(table)")
        for reason in status.reasons { #expect(table.contains(reason), "\(table)") }
    }

    @Test func matchesTheGoldenFileOfThePages() throws {
        let lines = try Self.conditions.map { condition in
            let health = Self.health(try Self.snapshot(condition))
            return #"{"case":"\#(condition.name)","status":"\#(condition.status.rawValue)","#
                + #""problems":\#(condition.codes.count),"health":"#
                + String(decoding: health, as: UTF8.self) + "}\n"
        }.joined()
        #expect(try lines == goldenText("health.jsonl", for: lines))
    }

    @Test func everyCodeOccurs() {
        let codes = Set(Self.conditions.flatMap(\.codes))
        #expect(codes == Set(HealthProblem.Code.allCases))
    }

    @Test func everyAlertOfAGatewayIsAProblem() throws {
        for rule in AlertRule.allCases where rule.level < .erg {
            let condition = Condition(name: rule.rawValue, status: .ok, codes: []) {
                $0.alerts = [Self.alert(rule)]
            }
            let assessment = HealthAssessment(try Self.snapshot(condition))
            #expect(assessment.status != .ok, "\(rule)")
        }
    }

    /// A machine on which the doctor's own probes find no problem.
    private static let machine = HostFacts(
        configuration: .valid(EffectiveSettings(printed: ""), warnings: []),
        service: .unreachable(reason: "", remedy: ""),
        bluetooth: BluetoothFacts(version: "5.82", adapters: facts([(true, false)])),
        clock: ClockFacts(isSynchronized: true, hasHardwareClock: true),
        disk: DiskFacts(
            ringPath: "/ring", ringBytes: 1 << 20, freeBytes: 9 << 30, isReadOnly: false),
        broker: BrokerFacts(
            address: "localhost:1883", isLocal: true, usesTLS: false, hasPassword: false,
            outcome: .tried(.accepted(milliseconds: 12, BrokerLimits())),
            topic: "rowgate/v1/boathouse/rsp/doctor"))
}
