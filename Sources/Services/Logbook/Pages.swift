import Bytes
import WebPages
import WebServer

/// The files of the web pages, each with an entity tag for browser caches.
struct Pages: Sendable {
    private struct Key: Hashable {
        let name: String
        /// Nil for files that are the same in each language.
        let language: PageLanguage?
    }

    private let files: [Key: WebFile]

    init(of club: PageClub) {
        files = Dictionary(
            uniqueKeysWithValues: PageFiles.served(for: club).map {
                (Key(name: $0.name, language: $0.language), WebFile($0))
            })
    }

    /// Returns the file, a page in the given language.
    subscript(name: String, language: PageLanguage) -> WebFile? {
        files[Key(name: name, language: nil)] ?? files[Key(name: name, language: language)]
    }
}

extension WebFile {
    /// Creates a file with an entity tag from the digest of its bytes.
    init(_ file: PageFiles.Served) {
        self.init(
            contentType: file.contentType, bytes: file.bytes, compressed: file.compressed,
            entityTag: "\"\(SHA256Digest.hexadecimal(of: [file.bytes]).prefix(16))\"",
            isLocalized: file.language != nil)
    }
}

extension PageLanguage {
    /// Returns the language for a request: the parameter `lang`, the last if there are several, else the browser's
    /// preference.
    static func preferred(_ query: [WebParameter], _ accepted: String) -> PageLanguage {
        preferred(requested: query.last { $0.name == "lang" }?.value, accepted: accepted)
    }
}
