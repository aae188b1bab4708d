/// An event at an erg. A station delivers events in the order in which they happened.
package enum SessionEvent: Equatable, Sendable {
    case session(SessionTransition)
    case stroke(Stroke)
    case force(ForceCurve)
    case split(Split)
    case summary(Summary)
    case gap(Gap)
    /// The retained state changed.
    case state(StationState)
}
