/// The club whose pages are served.
public struct PageClub: Sendable {
    /// A picture for the headers of the pages.
    public struct Logo: Equatable, Sendable {
        /// The formats that every browser shows, as endings of file names.
        public enum Format: String, CaseIterable, Sendable { case svg, png }

        /// The largest size in bytes: each page loads it.
        public static let maximumBytes = 100_000

        public let format: Format
        public let bytes: [UInt8]

        /// Returns nil if the bytes do not have the format.
        public init?(_ bytes: [UInt8], as format: Format) {
            let isValid =
                switch format {
                case .png: bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
                case .svg: Self.isSVG(bytes)
                }
            guard isValid else { return nil }
            (self.format, self.bytes) = (format, bytes)
        }

        /// Whether the start of a file has the tag `<svg`.
        private static func isSVG(_ bytes: [UInt8]) -> Bool {
            let start = bytes.prefix(4096)
            return start.indices.contains { start[$0...].starts(with: "<svg".utf8) }
        }

        /// The name of the served file.
        var name: String { "club/logo.\(format.rawValue)" }
    }

    /// The name in titles and headers; nil for none.
    public let name: String?
    public let logo: Logo?
    /// An IANA name, in which pages show times and days. It needs no escapes in an attribute.
    public let timeZone: String

    public init(name: String? = nil, logo: Logo? = nil, timeZone: String) {
        (self.name, self.logo, self.timeZone) = (name, logo, timeZone)
    }
}
