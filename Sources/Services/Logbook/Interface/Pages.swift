import Bytes
import WebPages
import WebServer

/// The files of the web pages, each with an entity tag for browser caches.
struct Pages: Sendable {
    private struct Key: Hashable {
        let name: String
        /// Nil for files that are the same for every reader.
        let appearance: PageAppearance?
    }

    private let files: [Key: WebFile]

    init(of club: PageClub) {
        files = Dictionary(
            uniqueKeysWithValues: PageFiles.served(for: club).map {
                (Key(name: $0.name, appearance: $0.appearance), WebFile($0))
            })
    }

    /// Returns the file, a page in the form for the sender of a request.
    subscript(name: String, request: WebRequest) -> WebFile? {
        files[Key(name: name, appearance: nil)]
            ?? files[Key(name: name, appearance: PageAppearance(for: request))]
    }
}

extension WebFile {
    /// Creates a file with an entity tag from the digest of its bytes.
    init(_ file: PageFiles.Served) {
        self.init(
            contentType: file.contentType, bytes: file.bytes, compressed: file.compressed,
            entityTag: "\"\(SHA256Digest.hexadecimal(of: [file.bytes]).prefix(16))\"",
            dependsOnReader: file.appearance != nil)
    }
}

extension PageAppearance {
    /// Cookies that the settings of the pages (`common/preferences.js`) write.
    static let (languageCookie, themeCookie) = ("rowgate-language", "rowgate-theme")

    /// The form for the sender of a request: the parameters `lang` and `theme`, the last if there are several, else
    /// the settings of the browser, else the preference of browser and device.
    init(for request: WebRequest) {
        func parameter(_ name: String) -> String? { request.query.last { $0.name == name }?.value }
        self.init(
            language: .preferred(
                requested: parameter("lang"), chosen: request.cookie(Self.languageCookie),
                accepted: request.languages),
            theme: .preferred(requested: parameter("theme"), chosen: request.cookie(Self.themeCookie)))
    }
}
