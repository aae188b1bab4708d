/// A topic of retained messages.
package enum RetainedTopic: Hashable, Sendable {
    case availability
    case birth
    case health
    case clock
    /// The named workouts.
    case workouts
    case stationAvailability(StationID)
    case info(StationID)
    case state(StationID)
    case lastSummary(StationID)
    case marks(StationID)
    /// Active alerts of an erg; of the gateway if nil.
    case alerts(StationID?)
    /// Home Assistant's discovery topic of an erg; of the gateway if nil. It is not below our topics.
    case homeAssistant(StationID?)

    /// All retained topics of an erg, or of the gateway if nil, except Home Assistant's.
    package static func all(of station: StationID?) -> [RetainedTopic] {
        guard let station else {
            return [.availability, .birth, .health, .clock, .workouts, .alerts(nil)]
        }
        return [
            .stationAvailability(station), .info(station), .state(station), .lastSummary(station),
            .marks(station), .alerts(station),
        ]
    }

    /// The erg, nil for the gateway, and the last level of the topic.
    var place: (station: StationID?, level: String) {
        switch self {
        case .availability: (nil, "availability")
        case .birth: (nil, "birth")
        case .health: (nil, "health")
        case .clock: (nil, "clock")
        case .workouts: (nil, "workouts")
        case .stationAvailability(let station): (station, "availability")
        case .info(let station): (station, "info")
        case .state(let station): (station, "state")
        case .lastSummary(let station): (station, "last_summary")
        case .marks(let station): (station, "marks")
        case .alerts(let station): (station, "alerts")
        case .homeAssistant(let station): (station, "config")
        }
    }

    /// Whether the payload is JSON; availability is plain text.
    package var isJSON: Bool {
        switch self {
        case .availability, .stationAvailability: false
        default: true
        }
    }

    /// Interval at which `health` is published at least.
    package static let healthPeriodSeconds: UInt32 = 30

    /// Message expiry interval; nil for none. `health` expires after three missed intervals.
    package var expirySeconds: UInt32? { self == .health ? 3 * Self.healthPeriodSeconds : nil }
}
