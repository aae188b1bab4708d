import Bytes

/// A training zone by power, as a fraction of the mean power of the best 2000 m.
package enum PowerZone: String, CaseIterable, Sendable {
    /// Below all named zones: paddling.
    case below
    /// Utilisation 2 and 1, aerobic: power that can be sustained for hours, and for an hour.
    case ut2, ut1
    /// About the anaerobic threshold.
    case at
    /// Oxygen transport: about 2000 m power.
    case tr
    /// Anaerobic.
    case an
    /// Above 2000 m power.
    case above

    /// Upper end in percent, where the next zone begins; nil for the last.
    ///
    /// Rule of thumb of British and Irish rowing's training guides, as rowing programs use it.
    package var upperPercent: Int? {
        switch self {
        case .below: 55
        case .ut2: 65
        case .ut1: 75
        case .at: 85
        case .tr: 95
        case .an: 105
        case .above: nil
        }
    }
}

/// Zones by which the time of a session's strokes is divided.
package protocol TrainingZones: Equatable, Sendable {
    /// The formula of the time in zone.
    static var timeFormula: String { get }
    /// Hundredths of a second of a session in each zone, in order.
    ///
    /// - Parameters:
    ///   - power: the session's time at each power.
    ///   - heart: the session's time at each heart rate.
    func time(power: StrokeTimeHistogram, heart: StrokeTimeHistogram) -> [Int64]
    /// The first whole number above each zone but the last.
    var bounds: [Int] { get }
}

extension TrainingZones {
    /// Writes each zone with its bounds, in members with these names.
    func writeBounds(into json: inout JSONWriter, from: StaticString, to: StaticString) {
        json.list("bounds", of: zip(PowerZone.allCases, 0...bounds.count)) { json, element in
            let (zone, index) = element
            json.field("zone", zone.rawValue)
            json.field(from, index > 0 ? bounds[index - 1] : 0)
            if index < bounds.count { json.field(to, bounds[index]) }
        }
    }
}
