/// A language of the pages.
public enum PageLanguage: String, CaseIterable, Sendable {
    case english = "en"
    case german = "de"

    /// Returns the first known language; English if none is known.
    ///
    /// - Parameters:
    ///   - requested: The parameter `lang` of the address, which has priority; nil if absent.
    ///   - accepted: The value of Accept-Language, `de-DE,de;q=0.9,en;q=0.8`. Browsers send the user's languages in
    ///     the order of preference, so weights are not read.
    public static func preferred(requested: String?, accepted: String) -> PageLanguage {
        let preferred = accepted.split(separator: ",").map { language in
            String(language.drop { $0 == " " }.prefix { $0 != ";" })
        }
        let names = ([requested].compactMap { $0 } + preferred).map { $0.lowercased().prefix { $0 != "-" } }
        for name in names {
            if let known = PageLanguage(rawValue: String(name)) { return known }
        }
        return .english
    }
}
