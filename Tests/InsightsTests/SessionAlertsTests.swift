import PM5Simulator
import Rowing
import TestSupport
import Testing

@testable import Insights

/// The rules on whole sessions, from the monitor's bytes on.
@Suite struct SessionAlertsTests {
    private static let workouts = [
        "just-row/2:00", "500m", "500m/0", "2:00", "40cal", "300wm", "4x100m/0:20r", "4x0:30/0:15r",
        "3x10cal/0:20r", "200m/0:20r+0:45/0:15r+8cal/0:10r+100m", "150m/r+0:40/r+100m",
    ]

    /// All rules, with bands that no simulated rower leaves.
    private static let everything: AlertSettings = {
        var settings = AlertSettings()
        settings.rules.formUnion([.heartRateLost, .powerCollapse])
        settings.paces = Pace(millisecondsPer500m: 70_000)...Pace(millisecondsPer500m: 200_000)
        (settings.rates, settings.drags, settings.highestHeartRate) = (10...50, 60...230, 230)
        return settings
    }()

    @Test(arguments: workouts, MonitorGeneration.allCases)
    func raisesNoFalseAlert(
        _ workout: String, _ generation: MonitorGeneration
    ) throws {
        // Every kind of workout, three seeds, the default rules and all rules.
        for seed in UInt64(1)...3 {
            for settings in [AlertSettings(), Self.everything] {
                let session = try ReplayedSession(
                    workout, seed: seed, generation: generation, settings)
                #expect(session.published == [], "\(workout), seed \(seed)")
            }
        }
    }

    @Test(arguments: workouts)
    func raisesOnlyLinkLostForLostLink(_ workout: String) throws {
        // The link is lost for twelve seconds at four moments.
        for start in stride(from: 8_000, through: 38_000, by: 10_000) {
            let session = try ReplayedSession(
                workout, seed: 5, away: start..<start + 12_000, Self.everything)
            let name = "\(workout), away at \(start)"
            #expect(session.fired == [.linkLost], "\(name)")
            #expect(Alert.disorder(in: session.published) == [], "\(name)")
            #expect(session.alerts.firing == [], "\(name)")
        }
    }

    @Test(arguments: [AlertSettings(), everything])
    func raisesNoAlertForRecordings(settings: AlertSettings) throws {
        var (alerts, strokes) = ([String](), 0)
        let recordings = try Recordings.sessions()
        for file in recordings {
            let session = try ReplayedSession(recording: file, settings)
            #expect(session.strokes.count >= 5, "\(file.lastPathComponent)")
            strokes += session.strokes.count
            alerts += session.published.map { alert in
                "\(file.lastPathComponent): \(alert.rule.rawValue) \(alert.state.rawValue) "
                    + "at stroke \(session.strokes.count { $0.at <= alert.at })"
            }
        }
        #expect(recordings.count >= 5 && strokes >= 47)
        #expect(alerts == [])
    }
}
