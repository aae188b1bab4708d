/// The form in which a reader gets a page. Each form of a page is a file of its own.
public struct PageAppearance: Hashable, Sendable {
    public let language: PageLanguage
    public let theme: PageTheme

    public init(language: PageLanguage, theme: PageTheme) {
        (self.language, self.theme) = (language, theme)
    }

    /// Every combination of a language and a theme.
    public static let allCases = PageLanguage.allCases.flatMap { language in
        PageTheme.allCases.map { PageAppearance(language: language, theme: $0) }
    }
}

/// The colours of the pages.
public enum PageTheme: String, CaseIterable, Sendable {
    /// As the device prefers.
    case automatic
    case dark
    case light

    /// Returns the first known theme, else the automatic one.
    ///
    /// - Parameters:
    ///   - requested: The parameter `theme` of the address, which has priority; nil if absent.
    ///   - chosen: The user's choice in the settings of the browser; nil if there is none.
    public static func preferred(requested: String?, chosen: String?) -> PageTheme {
        requested.flatMap(PageTheme.init) ?? chosen.flatMap(PageTheme.init) ?? .automatic
    }

    /// The media for which the light stylesheet applies. Paper is always light.
    public var lightMedia: String {
        switch self {
        case .automatic: "(prefers-color-scheme: light), print"
        case .dark: "print"
        case .light: "all"
        }
    }
}

/// A language of the pages.
public enum PageLanguage: String, CaseIterable, Sendable {
    case english = "en"
    case german = "de"

    /// Returns the first known language; English if none is known.
    ///
    /// - Parameters:
    ///   - requested: The parameter `lang` of the address, which has priority; nil if absent.
    ///   - chosen: The user's choice in the settings of the browser; nil if there is none.
    ///   - accepted: The value of Accept-Language, `de-DE,de;q=0.9,en;q=0.8`. Browsers send the user's languages in
    ///     the order of preference, so weights are not read.
    public static func preferred(requested: String?, chosen: String?, accepted: String) -> PageLanguage {
        let preferred = accepted.split(separator: ",").map { language in
            String(language.drop { $0 == " " }.prefix { $0 != ";" })
        }
        let names = ([requested, chosen].compactMap { $0 } + preferred).map {
            $0.lowercased().prefix { $0 != "-" }
        }
        for name in names {
            if let known = PageLanguage(rawValue: String(name)) { return known }
        }
        return .english
    }
}
