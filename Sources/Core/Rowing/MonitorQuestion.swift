import PM5Codec

/// A value that rowgate requests from a monitor, apart from workouts and force curves.
///
/// `MonitorRequestScheduler` sends it when no other request is pending. It does not retry a question that
/// the monitor rejects or ignores.
package enum MonitorQuestion: Sendable {
    case battery

    /// The monitor's answer to a question.
    package enum Answer: Equatable, Sendable {
        /// Charge of the batteries.
        case battery(percent: Int)
    }

    var command: ProprietaryCommand {
        switch self {
        case .battery: .get(Query<UInt8>.batteryLevelPercent)
        }
    }

    var wrapper: Wrapper {
        switch self {
        case .battery: .getConfiguration
        }
    }

    /// Returns nil if the response has no valid answer.
    func answer(in response: Response) -> Answer? {
        switch self {
        case .battery:
            guard let percent = try? response.value(of: .batteryLevelPercent), percent <= 100 else {
                return nil
            }
            return .battery(percent: Int(percent))
        }
    }
}
