// In place of 1.5 MB of drawings of the theme: the book shows the icons of its font alone.
