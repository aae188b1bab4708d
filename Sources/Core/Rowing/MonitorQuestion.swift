import PM5Codec

/// What a monitor is asked beside its workouts and force curves: a question is a case here.
///
/// `MonitorConversation` asks when nobody else has anything to say. A monitor that does not know the
/// question, or has no time for it, is asked again when somebody wants to know again.
package enum MonitorQuestion: Sendable {
    case battery

    /// What the monitor said to a question.
    package enum Answer: Equatable, Sendable {
        /// How full its batteries are.
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

    /// Nil where nothing can be made of the response.
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
