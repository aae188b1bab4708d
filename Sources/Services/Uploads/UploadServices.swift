import HTTPClient

/// The services that a logbook can upload to, with their addresses and authorizations.
package struct UploadServices: Sendable {
    /// How an athlete connects an account.
    package enum Access: String, Sendable {
        /// In the browser, at the service.
        case authorization
        /// With a key from the service's settings.
        case key
        /// With the address of a webhook.
        case address
    }

    /// The addresses of the real services.
    package static let addresses: [UploadDestination: String] = [
        .concept2: "https://log.concept2.com", .intervalsICU: "https://intervals.icu",
        .strava: "https://www.strava.com",
    ]

    /// The authorizations by destination.
    private let flows: [UploadDestination: OAuthFlow]
    private let addresses: [UploadDestination: String]
    private let enabled: Set<UploadDestination>

    /// - Parameters:
    ///   - enabled: destinations that athletes may connect.
    ///   - addresses: instead of the addresses of the real services.
    package init(
        enabled: Set<UploadDestination>, flows: [OAuthFlow], addresses: [UploadDestination: String] = [:]
    ) {
        self.enabled = enabled
        self.flows = Dictionary(flows.map { ($0.destination, $0) }) { first, _ in first }
        self.addresses = Self.addresses.merging(addresses) { _, other in other }
    }

    /// The destinations that athletes may connect, in the order of the pages.
    package var destinations: [UploadDestination] {
        UploadDestination.allCases.filter { access(to: $0) != nil }
    }

    /// Returns how an athlete connects an account; nil if it is not possible.
    package func access(to destination: UploadDestination) -> Access? {
        guard enabled.contains(destination) else { return nil }
        switch destination {
        case .webhook: return .address
        case .intervalsICU: return flows[destination] == nil ? .key : .authorization
        case .concept2, .strava: return flows[destination] == nil ? nil : .authorization
        }
    }

    package func flow(for destination: UploadDestination) -> OAuthFlow? { flows[destination] }

    /// - Parameter now: Unix milliseconds, for signatures.
    package func api(of destination: UploadDestination, at now: Int64) -> any DestinationAPI {
        let address = addresses[destination] ?? ""
        return switch destination {
        case .concept2: Concept2Upload(address: address)
        case .intervalsICU: IntervalsICUUpload(address: address)
        case .strava: StravaUpload(address: address)
        case .webhook: WebhookUpload(now: now)
        }
    }

    /// The calendar from which planned workouts are read; nil if athletes cannot connect intervals.icu.
    package var calendar: IntervalsICUCalendar? {
        access(to: .intervalsICU) == nil
            ? nil : IntervalsICUCalendar(address: addresses[.intervalsICU] ?? "")
    }

    /// Returns the secret of a webhook as the receiver's administrator enters it.
    package static func printed(webhookSecret secret: [UInt8]) -> String { WebhookUpload.printed(secret) }
}
